import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "@mantine/core/styles/UnstyledButton.layer.css";
import "@mantine/core/styles/Input.layer.css";
import "@mantine/core/styles/ActionIcon.layer.css";
import "@mantine/core/styles/Button.layer.css";
import "@mantine/core/styles/PasswordInput.layer.css";
import { Button, MantineProvider, PasswordInput, TextInput } from "@mantine/core";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

// The least that a sign-in page of these libraries can be: the form's two fields and its button, which do nothing.

// oxlint-disable-next-line typescript/no-unsafe-return -- runs in a browser, which the types of the benchmarks do not know
const styleNonce = () => document.querySelector('meta[name="csp-nonce"]')?.content ?? "";

createRoot(document.getElementById("root")).render(
  createElement(
    MantineProvider,
    { getStyleNonce: styleNonce },
    createElement(
      "form",
      { "aria-label": "Sign in" },
      createElement(TextInput, { label: "Username" }),
      createElement(PasswordInput, { label: "Password" }),
      createElement(Button, { type: "submit" }, "Sign In"),
    ),
  ),
);
