-- additive: what changes a site's counters always has a new change_no, whatever writes it. See decision 62.

create function mark_site_changed() returns trigger language plpgsql as $$
begin
  new.change_no := pg_current_xact_id();
  return new;
end $$;
create trigger sites_mark_changed before update on sites for each row
  when (new.change_no = old.change_no and new is distinct from old)
  execute function mark_site_changed();
create trigger robot_state_mark_changed before update on robot_state for each row
  when (new.change_no = old.change_no and (new.robot_status, new.online, new.motion, new.site_id)
    is distinct from (old.robot_status, old.online, old.motion, old.site_id))
  execute function mark_site_changed();

-- A robot that left for another site is no longer among the rows of its former one.
create function mark_robot_changed() returns trigger language plpgsql as $$
begin
  update robot_state set change_no = pg_current_xact_id() where robot_id = new.id;
  if new.site_id <> old.site_id then
    update sites set change_no = pg_current_xact_id() where id = old.site_id;
  end if;
  return null;
end $$;
create trigger robots_mark_changed after update of operating_mode, deleted_at, site_id on robots for each row
  when ((new.operating_mode, new.deleted_at, new.site_id) is distinct from (old.operating_mode, old.deleted_at, old.site_id))
  execute function mark_robot_changed();

-- The name and contact of a site's partner are part of it.
create function mark_sites_of_partner_changed() returns trigger language plpgsql as $$
begin
  update sites set change_no = pg_current_xact_id() where maintenance_partner_id = new.id and deleted_at is null;
  return null;
end $$;
create trigger partners_mark_sites_changed after update of name, contact_person on partners for each row
  when ((new.name, new.contact_person) is distinct from (old.name, old.contact_person))
  execute function mark_sites_of_partner_changed();
