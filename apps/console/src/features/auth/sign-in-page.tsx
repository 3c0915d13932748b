/** §2 Sign-in page. */
export function SignInPage() {
  return <h1>Suncrew</h1>;
}
