-- What the scheduler looks for each second, and the newest runs over all sites.

create index runs_failed_to_start on runs (due_at) where outcome in ('FAILED', 'STOPPED');
create index runs_newest on runs (at desc, id desc);
