import { QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import { queryClient } from "./query-client.ts";

const KEY = ["attention"];

afterEach(() => {
  queryClient.clear();
});

/** A list that is shown and whose first request is on its way; its answers arrive when the test says so. */
async function shownList() {
  const arrivals: PromiseWithResolvers<string>[] = [];
  const queryFn = () => {
    const arrival = Promise.withResolvers<string>();
    arrivals.push(arrival);
    return arrival.promise;
  };
  new QueryObserver(queryClient, { queryKey: KEY, queryFn }).subscribe(() => {});
  await requested({ arrivals }, 1);
  return { arrivals };
}

/** Resolves once the list was requested this often. */
async function requested({ arrivals }: { readonly arrivals: readonly unknown[] }, times: number): Promise<void> {
  await expect.poll(() => arrivals.length).toBe(times);
}

test("Live: what changes while a list is read for the first time is read again", async () => {
  const list = await shownList();
  const refetched = queryClient.invalidateQueries({ queryKey: KEY });
  list.arrivals[0]?.resolve("before the change");
  await requested(list, 2);
  expect(queryClient.getQueryData(KEY)).toBe("before the change");
  list.arrivals[1]?.resolve("after the change");
  await refetched;
  expect(queryClient.getQueryData(KEY)).toBe("after the change");
  expect(list.arrivals).toHaveLength(2);
});

test("Live: a first read that fails is not repeated by what changes meanwhile", async () => {
  const list = await shownList();
  const refetched = queryClient.invalidateQueries({ queryKey: KEY });
  list.arrivals[0]?.reject(new Error("it fails"));
  await refetched;
  expect(list.arrivals).toHaveLength(1);
});

test("Live: a list that is read already is requested once more for a change", async () => {
  const list = await shownList();
  list.arrivals[0]?.resolve("read");
  await expect.poll(() => queryClient.getQueryData(KEY)).toBe("read");
  const refetched = queryClient.invalidateQueries({ queryKey: KEY });
  await requested(list, 2);
  list.arrivals[1]?.resolve("read again");
  await refetched;
  expect(list.arrivals).toHaveLength(2);
});
