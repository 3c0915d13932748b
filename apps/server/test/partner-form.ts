/** What is typed to add a partner of this name. */
export function partnerForm(name: string, more: Record<string, string | null> = {}) {
  return {
    name,
    contact_person: "Ravi Shah",
    contact_info: "+91 98290 00000",
    email: "ravi@shah.example",
    address: "1 Canal Road",
    city: "Jodhpur",
    state: "Rajasthan",
    zip_code: "342001",
    ...more,
  };
}
