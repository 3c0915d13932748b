import { useDocumentTitle } from "@mantine/hooks";
import { SignedOutLayout } from "../../ui/signed-out-layout.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** §2 Sign-in page. `onSignedIn` navigates on, and resolves once it has. */
export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) {
  useDocumentTitle("Sign in - Suncrew");
  return (
    <SignedOutLayout>
      <SignInForm onSignedIn={onSignedIn} />
    </SignedOutLayout>
  );
}
