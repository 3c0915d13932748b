import { Box } from "@mantine/core";
import { deletePartner, type Partner, partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { assignedSitesMessage } from "@suncrew/domain/partners/partners.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../../platform/api/call.ts";
import { change, type Refusal, refusalIn } from "../../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../../platform/api/route-query.ts";
import { DeleteDialog } from "../../../ui/delete-dialog.tsx";

/** §2: the delete dialog warns; if sites are assigned it says so before anything is tried. */
export function DeletePartnerDialog({ partner, onClose }: { readonly partner: Partner; readonly onClose: () => void }) {
  // If the sites cannot be loaded, the server still knows and says why.
  const sites = useQuery({ ...routeQuery(siteDetails, {}), refetchOnMount: "always" }).data ?? [];
  const assigned = sites.filter((site) => site.maintenance_partner_id === partner.id).map(({ name }) => name);
  return (
    <DeleteDialog
      title="Delete Partner"
      blockedReason={assignedSitesMessage(assigned)}
      onDelete={async () => {
        const refusal = await removePartner(partner);
        if (refusal === null) onClose();
        return refusal;
      }}
      onClose={onClose}
    >
      <Box component="p" fz={14} lh="20px" style={{ overflowWrap: "anywhere" }}>
        Delete <strong>{partner.name}</strong>? This action is permanent and cannot be undone.
        {partner.username !== null && (
          <>
            {" "}
            Its user <strong>{partner.username}</strong> is signed out and can no longer sign in.
          </>
        )}
      </Box>
    </DeleteDialog>
  );
}

const DELETE_FAILED = "Failed to delete partner. Please try again.";

/** Deletes a partner (§8 Partners); returns why it was refused, or null once it is deleted. */
async function removePartner({ id, name }: Partner): Promise<Refusal | null> {
  const outcome = await change({
    send: () => call(deletePartner, { params: { id } }),
    invalidates: [queryKeyOf(partnerDetails)],
    success: { title: "Partner Deleted", message: `${name} has been deleted.` },
    failure: { title: "Partner Deletion Failed", message: DELETE_FAILED },
  });
  return refusalIn(outcome, DELETE_FAILED);
}
