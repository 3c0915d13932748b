-- additive: Acknowledgements have a comment, can be undone, and are possible for whatever else needs a person. See decision 71.

alter table alerts add column acknowledgement_comment text;

-- Of what is computed and has no row of its own, such as runs of last night, by the key that the list gives it.
create table attention_acknowledgements (
  key text primary key,
  site_id integer not null references sites (id),
  -- The robots that it was about: one more is news.
  robot_ids integer[] not null,
  acknowledged_at timestamptz not null,
  acknowledged_by_user_id integer references users (id),
  acknowledged_by text not null,
  comment text
);
create index attention_acknowledgements_of_site on attention_acknowledgements (site_id);

-- The few runs of a night that went wrong, among thousands that did not.
-- step: index
create index concurrently runs_troubled on runs (site_id, at) where outcome in ('FAILED', 'SKIPPED', 'MISSED', 'CUT_SHORT');
