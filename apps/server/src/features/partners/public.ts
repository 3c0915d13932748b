export { lockLivePartner } from "./partner-rows.writes.ts";
