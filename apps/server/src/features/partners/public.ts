export { lockLivePartner } from "./partners.repository.ts";
