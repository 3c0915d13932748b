export { ContactPointList } from "./contact-point-list.tsx";
export { OWN_CONTACT_POINTS, SubscriptionList } from "./rule-list.tsx";
