/**
 * Where workers work: a checkout on a machine, where the worktrees, caches and sessions of its tasks are.
 *
 * L1  A task that a dead worker left is left to workers in the same place for a minute, while one of them is known to be alive.
 *     Nothing is refused for it: whoever asks for the lease gets it.
 * L2  Not twice in a row: a place where a task's worker died again is not preferred, since the task may be what ends it there.
 */
const COLUMNS = /* sql */ `
-- Null: an earlier program's.
alter table pawl.worker add column place text;
-- Null: no place is preferred for the task.
alter table pawl.reservation add column place text;
`;

const TAKE = /* sql */ `
create or replace function pawl.take_task(
  p bigint, named text, taker text, lasting interval, wanted jsonb,
  out taken_epoch bigint, out was_left boolean, out refused text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  present pawl.lease;
  left_at text;
begin
  perform pawl.permit('only a worker''s or a person''s role takes a task', 'worker', 'person');
  perform from pawl.project where id = p for update;
  select * into present from pawl.lease where project = p and what = named for update;
  if present.holder = taker then
    taken_epoch := present.epoch;
    return;
  end if;
  if present.holder is not null and present.until > clock_timestamp() then
    return;
  end if;
  refused := pawl.reached(p, named, wanted);
  if refused is not null then
    return;
  end if;
  select r.place into left_at from pawl.reservation r
  where r.project = p and r.what = named and r.epoch = present.epoch;
  select t.taken_epoch, t.was_left into taken_epoch, was_left from pawl.take(p, named, taker, lasting) t;
  -- Somebody else was first, by the function of the version before.
  if taken_epoch is null then
    return;
  end if;
  insert into pawl.reservation (project, what, epoch, worker, repository, agent, usd, place)
  values (
    p, named, taken_epoch, wanted->>'worker', wanted->>'repository', wanted->>'agent', (wanted->>'usd')::numeric,
    case when was_left and left_at = wanted->>'place' then null else wanted->>'place' end
  )
  on conflict (project, what) do update
  set epoch = excluded.epoch, worker = excluded.worker, repository = excluded.repository,
    agent = excluded.agent, usd = excluded.usd, place = excluded.place;
end $$;
`;

const REGISTER = /* sql */ `
-- \`is_alone\`: no other process of that name is alive in the place. So one that is registered there is dead: its name is free
-- and its leases end at once, but for those that a worker who died left there before.
create function pawl.register(
  p bigint, named text, process uuid, on_host text, of_version text, with_labels text[], up_to int, for_time interval,
  at_place text, is_alone boolean
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  becomes text;
begin
  perform pawl.permit('only a worker''s or a person''s role works', 'worker', 'person');
  update pawl.worker set state = 'gone'
  where is_alone and project = p and name = named and place = at_place and id <> process and state <> 'gone';
  if found then
    update pawl.lease l set until = clock_timestamp()
    where l.project = p and split_part(l.holder, ' ', 1) = named and l.until > clock_timestamp() and not exists (
      select from pawl.reservation r
      where r.project = p and r.what = l.what and r.epoch = l.epoch and r.place is null
    );
  end if;
  becomes := pawl.register(p, named, process, on_host, of_version, with_labels, up_to, for_time);
  update pawl.worker set place = at_place where project = p and name = named and id = process;
  return becomes;
end $$;
`;

export const PLACES_SHAPE = [COLUMNS, TAKE, REGISTER].join("\n");
