/** The known sign-ins of a demo; production never has them. */
export const demoSignIns = [
  { username: "admin", password: "admin@123", role: "SUPER_ADMIN" },
  { username: "partner", password: "partner@123", role: "PARTNER" },
] as const;
