-- additive: Live streams tell that something was acknowledged, and that this was undone, for which the row stays. See decision 71.

alter table attention_acknowledgements
  add column undone_at timestamptz,
  add column change_no xid8 not null default pg_current_xact_id();
create index attention_acknowledgements_changed on attention_acknowledgements (change_no);
