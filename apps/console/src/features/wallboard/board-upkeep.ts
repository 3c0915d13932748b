import { useEffect, useState } from "react";
import { servedScript, startScriptIn } from "../../platform/served-page.ts";

/** The hour, by the screen's own clock, at which the page is loaded anew. */
const RELOAD_HOUR = 4;
/** A page younger than this, in milliseconds, is fresh enough. */
const FRESH_MS = 3_600_000;
/** While servers are upgraded one by one, either version may answer: a younger page stays, or it would load all the time. */
const SETTLED_MS = 60_000;
const LOOK_EVERY_MS = 300_000;
const CURSOR_HIDDEN_AFTER_MS = 3_000;

/** Loads the page anew if the server answers: a browser's own error page would stay for the night. */
export async function reloadIfServed(): Promise<void> {
  if ((await servedScript()) !== null) location.reload();
}

/** Loads the page anew once the server has another version of it, and each night. `isLive` turns true with a connection. */
export function useFreshPage(isLive: boolean): void {
  useEffect(() => {
    const look = async () => {
      if (performance.now() < SETTLED_MS) return;
      const served = await servedScript();
      const isNight = new Date().getHours() === RELOAD_HOUR && performance.now() > FRESH_MS;
      if (served !== null && (isNight || served !== startScriptIn(document.head.innerHTML))) location.reload();
    };
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    if (isLive) void look();
    return () => clearInterval(timer);
  }, [isLive]);
}

/** Keeps the screen on while the page is shown, where the browser can. */
export function useAwakeScreen(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    const stay = async () => {
      // Browsers have it only over HTTPS, whatever the type says.
      if (document.hidden || !("wakeLock" in navigator)) return;
      lock = await navigator.wakeLock.request("screen").catch(() => null);
    };
    void stay();
    const onShown = () => void stay();
    document.addEventListener("visibilitychange", onShown);
    return () => {
      document.removeEventListener("visibilitychange", onShown);
      void lock?.release();
    };
  }, []);
}

/** Whether the pointer has rested for some seconds. */
export function useRestingPointer(): boolean {
  const [isResting, setResting] = useState(false);
  useEffect(() => {
    let timer = setTimeout(() => setResting(true), CURSOR_HIDDEN_AFTER_MS);
    const onMove = () => {
      setResting(false);
      clearTimeout(timer);
      timer = setTimeout(() => setResting(true), CURSOR_HIDDEN_AFTER_MS);
    };
    addEventListener("pointermove", onMove);
    return () => {
      clearTimeout(timer);
      removeEventListener("pointermove", onMove);
    };
  }, []);
  return isResting;
}
