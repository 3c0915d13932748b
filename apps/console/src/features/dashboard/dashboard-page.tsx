/** §2 Dashboard: the fleet's figures over the site monitoring view. */
export function DashboardPage() {
  return <h1>Dashboard</h1>;
}
