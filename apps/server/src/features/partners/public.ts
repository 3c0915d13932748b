export { lockLivePartner } from "./partner-rows.repository.ts";
