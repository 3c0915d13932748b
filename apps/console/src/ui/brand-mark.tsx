/** Suncrew's logo: the sun behind a clean panel. Takes the colour of the surrounding text. */
export function BrandMark({ sizePx = 28 }: { sizePx?: number }) {
  return (
    <svg width={sizePx} height={sizePx} viewBox="0 0 28 28" aria-hidden focusable="false">
      <circle cx="14" cy="9.2" r="5.4" fill="var(--sc-sun)" />
      <path
        d="M14 .6v1.9M7.9 3.1l1.3 1.3M20.1 3.1l-1.3 1.3M5.4 9.2h1.9M20.7 9.2h1.9"
        stroke="var(--sc-sun)"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
      <path
        d="M6.2 14h4.7l-.5 5H4.4zM11.9 14h4.2l.5 5h-5.2zM17.1 14h4.7l1.8 5h-6zM4 20h6.3l-.5 5.4H2.1zM11.3 20h5.4l.5 5.4h-6.4zM17.7 20H24l1.9 5.4h-7.7z"
        fill="currentColor"
      />
    </svg>
  );
}
