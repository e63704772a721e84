/**
 * Workers, money and roles in the database.
 *
 * W1  Only the functions here write to the tables. They run with the owner's rights, and check the role of
 *     the login, whatever role it has set meanwhile.
 * W2  A worker's role writes no verdict: no step of a person's, no approval, no answer, no settings, no task. Of a
 *     task it writes what the work changes: status, times, session, notes; it cancels nothing. It adds lives, and changes none.
 * W3  A reservation counts for as long as its lease is held. If the lease is taken over, the unsettled rest
 *     counts as spent, since the real amount is unknown.
 *
 * A worker works in a place: a checkout on a machine, with the worktrees, caches and sessions of its tasks.
 *
 * L1  A dead worker's task is left to workers in the same place for a minute, while one of them is known to
 *     be alive. This is only a preference: a worker elsewhere that takes the lease gets it.
 * L2  Not twice in a row: a place where a task's worker died again is not preferred, since the task itself
 *     may be the cause.
 */

const TABLES = /* sql */ `
create table pawl.worker (
  project bigint not null references pawl.project,
  name text not null,
  -- Distinguishes a process from an earlier one of the same name.
  id uuid not null,
  host text not null,
  -- Of the program.
  version text not null,
  labels text[] not null,
  -- How many agents may be at work, and are.
  capacity int not null,
  at_work int not null default 0,
  state text not null check (state in ('working', 'draining', 'drained', 'gone')),
  login text not null default session_user,
  since timestamptz not null default clock_timestamp(),
  beat timestamptz not null default clock_timestamp(),
  lasting interval not null,
  -- Null: it did not say.
  place text,
  primary key (project, name)
);

create table pawl.spend (
  project bigint not null references pawl.project,
  -- In UTC.
  day date not null,
  usd numeric not null,
  primary key (project, day)
);

-- What a lease counts for, among the caps over all machines.
create table pawl.reservation (
  project bigint not null,
  what text not null,
  epoch bigint not null,
  worker text not null,
  repository text,
  agent text not null,
  -- What may still be spent under the lease. Null: nobody asked.
  usd numeric,
  -- Null: no place is preferred for the task.
  place text,
  primary key (project, what),
  foreign key (project, what) references pawl.lease
);
`;

const ROLES = /* sql */ `
-- Of the login in this project: owner, person, worker, viewer or none. The one that may do most counts. Null: what it is in each.
create function pawl.role(p bigint default null) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case
    when pg_has_role(session_user, (select nspowner from pg_namespace where nspname = 'pawl'), 'MEMBER') then 'owner'
    else coalesce((
      select role from unnest(array['person', 'worker', 'viewer']) with ordinality named(role, place)
      join pg_roles on rolname = 'pawl_' || role
        or rolname = 'pawl_' || role || '_' || (select name from pawl.project where id = p)
      where pg_has_role(session_user, oid, 'MEMBER')
      order by place limit 1
    ), 'none')
  end
$$;

-- Those in which the login has a role.
create function pawl.projects() returns bigint[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(id), '{}') from pawl.project
  where (select pawl.role()) <> 'none' or exists (
    select from unnest(array['person', 'worker', 'viewer']) role join pg_roles on rolname = 'pawl_' || role || '_' || name
    where pg_has_role(session_user, oid, 'MEMBER')
  )
$$;

create function pawl.forbid(p bigint, why text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = 'PW005', message = why, detail = pawl.role(p);
end $$;

create function pawl.permit(p bigint, what text, variadic allowed text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if pawl.role(p) <> all(allowed || array['owner']) then
    perform pawl.forbid(p, what);
  end if;
end $$;
`;

/** What a worker's role may not commit. */
const VERDICTS = /* sql */ `
-- Null: it is not JSON. Escapes of what jsonb cannot hold stand for something else: the same on both sides of a comparison.
create function pawl.parsed(given text) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return regexp_replace(
    ltrim(given, chr(65279)), '\\\\u(0000|[dD][89abcdefABCDEF][0-9a-fA-F]{2})', '\\\\ufffd', 'g'
  )::jsonb;
exception when others then
  return null;
end $$;

create function pawl.present(p bigint, named text) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
  select pawl.parsed(d.text) from pawl.document d where d.project = p and d.path = named and d.text is not null
$$;

-- A record's lines as the steps of one object; null: one of them is no JSON object.
create function pawl.recorded(given text) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('steps', jsonb_agg(step)) from (
    select pawl.parsed(line) step from regexp_split_to_table(rtrim(given, E'\\n'), E'\\n') line
  ) lines
  having bool_and(coalesce(jsonb_typeof(step) = 'object', false))
$$;

-- The steps in lines of a run's log, likewise.
create function pawl.logged(given text) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('steps', coalesce(jsonb_agg(line->'step') filter (where jsonb_typeof(line->'step') = 'object'), '[]'))
  from (
    select pawl.parsed(line) line from regexp_split_to_table(rtrim(given, E'\\n'), E'\\n') line
  ) lines
  having bool_and(coalesce(jsonb_typeof(line) = 'object', false))
$$;

-- The steps that only a person takes.
create function pawl.verdicts(given jsonb) returns setof jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select step
  from jsonb_array_elements(case jsonb_typeof(given->'steps') when 'array' then given->'steps' else '[]' end) step
  where step ? 'strength'
    or step->>'event' = 'approved'
    or step->>'kind' in ('accepted', 'adopted', 'returned')
    or step#>>'{by,channel}' in ('terminal', 'board', 'elicitation', 'mcp')
$$;

-- Why a worker may not change what was written of the tasks in this way; null: it may. Nothing that is there goes.
create function pawl.progress_fault(next jsonb, before jsonb) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select 'a worker''s role does not write the key ' || key || ' of ' || task || ' like this'
  from jsonb_object_keys(before || next) task,
    lateral (select coalesce(next->task, '{}') now, coalesce(before->task, '{}') was) sides,
    lateral jsonb_object_keys(case jsonb_typeof(now) when 'object' then was || now else '{"?": 0}' end) key,
    lateral (select now->key now_value, was->key was_value) written
  where key = '?' or now_value is distinct from was_value and not coalesce(case
    when key in ('started_at', 'completed_at', 'session_id', 'session_provider')
      then jsonb_typeof(now_value) in ('string', 'null')
    -- Only a person cancels, or brings back.
    when key = 'status' then was_value is distinct from '"cancelled"' and now_value in (
      '"todo"', '"ready_for_agent"', '"assigned"', '"in_progress"', '"done_pending_merge"', '"done"', '"blocked"', '"pending"')
    when key = 'ai_notes' then jsonb_typeof(now_value) = 'array' and not exists (
      select from jsonb_array_elements(coalesce(was_value, '[]')) with ordinality old(note, at)
      where note is distinct from now_value->(at - 1)::int)
  end, false)
  limit 1
$$;

-- Why a worker may not write this document; null: it may.
create function pawl.worker_fault(p bigint, named text, kind text, given text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  task text := substring(named from '^\\.pawl/(?:runs|done)/([^/]+)\\.json$');
  logged text := substring(named from '^\\.pawl/log/bloom/([^/]+)\\.jsonl$');
  recorded text := substring(named from '^\\.alfred/records/bloom/([^/]+)/[^/]+\\.jsonl$');
  next jsonb;
  before jsonb;
begin
  if named !~ '^\\.(pawl|alfred/records/bloom)/' or named ~ '^\\.pawl/(log/(?!bloom/)|runs/[^/]+/)'
    or named ~ '^\\.pawl/inbox/' and kind <> 'remove' then
    return 'a worker''s role does not write ' || named;
  end if;
  if named = '.pawl/progress.json' then
    return case
      when kind <> 'write' or jsonb_typeof(pawl.parsed(given)) is distinct from 'object'
        then 'a worker''s role only writes ' || named || ' whole, as JSON'
      else pawl.progress_fault(pawl.parsed(given), coalesce(pawl.present(p, named), '{}'))
    end;
  end if;
  if named ~ '^\\.pawl/lives/' then
    -- Named after its text, so what is there never changes.
    return case
      when kind <> 'write' or named <> '.pawl/lives/' || encode(sha256(convert_to(given, 'UTF8')), 'hex') || '.json'
        then 'a worker''s role only adds a text to .pawl/lives, under its hash'
    end;
  end if;
  if task is null and logged is null and recorded is null and named !~ '^\\.pawl/questions/' then
    return null;
  end if;
  if kind = 'remove' and logged is null and recorded is null then
    return null;
  end if;
  next := case
    when logged is not null then pawl.logged(given)
    when recorded is not null then pawl.recorded(given)
    else pawl.parsed(given)
  end;
  if logged is not null and (kind <> 'append' or next is null) then
    return 'a worker''s role only adds lines of JSON to ' || named;
  end if;
  if logged is null and kind <> 'write' or jsonb_typeof(next) is distinct from 'object' then
    return 'a worker''s role only writes ' || named || ' whole, as JSON';
  end if;
  if named ~ '^\\.pawl/questions/' then
    before := pawl.present(p, named);
    if next->>'answer' is not null and next->'answer' is distinct from before->'answer' then
      return 'a worker''s role does not answer ' || named;
    end if;
    return null;
  end if;
  if named ~ '^\\.pawl/(runs|done)/' then
    before := coalesce(
      pawl.present(p, '.pawl/runs/' || task || '.json'),
      pawl.present(p, '.pawl/done/' || task || '.json')
    );
    if coalesce(next->'verdicts', '[]') <> coalesce(before->'verdicts', '[]')
      or next#>'{kept,approved}' = 'true' and (
        before#>'{kept,approved}' is distinct from 'true'
        or named ~ '^\\.pawl/runs/' and pawl.present(p, named) is null
      ) then
      return 'a worker''s role does not write the verdict in ' || named;
    end if;
    return null;
  end if;
  task := coalesce(logged, recorded);
  if exists (
    select step from pawl.verdicts(next) step
    except (
      select step from pawl.document d, pawl.verdicts(pawl.logged(d.text)) step
      where d.project = p and d.text is not null and d.path = '.pawl/log/bloom/' || task || '.jsonl'
      union all
      select step from pawl.document d, pawl.verdicts(pawl.recorded(d.text)) step
      where d.project = p and d.text is not null and starts_with(d.path, '.alfred/records/bloom/' || task || '/')
    )
  ) then
    return 'a worker''s role does not write the verdict in ' || named;
  end if;
  return null;
end $$;

create function pawl.check_worker(p bigint, changes jsonb, emptied boolean, lines text[]) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  fault text;
begin
  select reason into fault
  from jsonb_array_elements(changes) change, pawl.worker_fault(p, change->>'path', change->>'type', change->>'text') reason
  where reason is not null limit 1;
  if fault is null and exists (select from jsonb_array_elements(changes) change where change->>'type' = 'move') then
    fault := 'a worker''s role moves no document';
  end if;
  if fault is null and emptied then
    fault := 'a worker''s role does not empty the event log';
  end if;
  if fault is null and exists (
    select from unnest(lines) line, pawl.parsed(line) event
    where event is null or event ? 'strength' or event->>'type' in ('task:approved', 'question:answered')
      or event->>'type' like '%:accepted' or event#>>'{by,channel}' in ('terminal', 'board', 'elicitation', 'mcp')
  ) then
    fault := 'a worker''s role does not write a verdict''s event';
  end if;
  if fault is not null then
    perform pawl.forbid(p, fault);
  end if;
end $$;
`;

/** Money: the commit that records the agents' ends settles it. */
const SPEND = /* sql */ `
create function pawl.add_spend(p bigint, amount numeric) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  insert into pawl.spend (project, day, usd)
  select p, (clock_timestamp() at time zone 'utc')::date, amount where amount > 0
  on conflict (project, day) do update set usd = spend.usd + excluded.usd
$$;

create function pawl.settle(p bigint, lines text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  ended record;
begin
  for ended in
    select event->>'taskId' as task, sum((event->>'usd')::numeric) as usd
    from unnest(lines) line, pawl.parsed(line) event
    where line like '%"agent:ended"%' and event->>'type' = 'agent:ended' and jsonb_typeof(event->'usd') = 'number'
      -- The run of a dead worker: all that was held for it counts as spent already.
      and not event ? 'at'
    group by 1 order by 1
  loop
    update pawl.reservation r set usd = greatest(0, r.usd - ended.usd) where r.project = p and r.what = ended.task;
    perform pawl.add_spend(p, ended.usd);
  end loop;
end $$;

create function pawl.end_reservation() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  left_over numeric;
begin
  if old.holder is null or new.holder is not null and new.epoch = old.epoch then
    return null;
  end if;
  delete from pawl.reservation r where r.project = old.project and r.what = old.what and r.epoch = old.epoch
  returning r.usd into left_over;
  if new.holder is not null then
    perform pawl.add_spend(old.project, left_over);
  end if;
  return null;
end $$;
create trigger end_reservation after update on pawl.lease for each row execute function pawl.end_reservation();
`;

/**
 * Takes a lease and makes its reservation, or does neither. `wanted`: worker, repository, agent, usd, and
 * caps {repository, agent, usd}, each absent if there is none. `refused`: the cap that is reached. The
 * project's row orders concurrent takers, and the commits that settle.
 */
const TAKE = /* sql */ `
create function pawl.reached(p bigint, named text, wanted jsonb) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
  with live as (
    select r.* , l.until > clock_timestamp() as alive
    from pawl.reservation r
    join pawl.lease l on l.project = r.project and l.what = r.what and l.epoch = r.epoch and l.holder is not null
    where r.project = p
  )
  select case
    when (select w.state <> 'working' from pawl.worker w where w.project = p and w.name = wanted->>'worker')
      then 'draining'
    when (select count(*) from live where alive and what <> named and repository = wanted->>'repository')
      >= (wanted#>>'{caps,repository}')::int
      then 'repository'
    when (select count(*) from live where alive and what <> named and agent = wanted->>'agent')
      >= (wanted#>>'{caps,agent}')::int
      then 'agent'
    -- A dead worker's reservation counts until the lease is taken over, and then as spent.
    when (select coalesce(sum(usd), 0) from live)
      + coalesce((
        select s.usd from pawl.spend s where s.project = p and s.day = (clock_timestamp() at time zone 'utc')::date
      ), 0)
      + (wanted->>'usd')::numeric > (wanted#>>'{caps,usd}')::numeric
      then 'usd'
  end
$$;

create function pawl.take_task(
  p bigint, named text, taker text, lasting interval, wanted jsonb,
  out taken_epoch bigint, out was_left boolean, out refused text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  present pawl.lease;
  left_at text;
begin
  perform pawl.permit(p, 'only a worker''s or a person''s role takes a task', 'worker', 'person');
  perform from pawl.project where id = p for update;
  select * into present from pawl.lease where project = p and what = named for update;
  if present.holder is not null and present.until > clock_timestamp() then
    -- It counts among the caps already.
    select t.taken_epoch into taken_epoch from pawl.take(p, named, taker, lasting) t;
    return;
  end if;
  refused := pawl.reached(p, named, wanted);
  if refused is not null then
    return;
  end if;
  select r.place into left_at from pawl.reservation r
  where r.project = p and r.what = named and r.epoch = present.epoch;
  select t.taken_epoch, t.was_left into taken_epoch, was_left from pawl.take(p, named, taker, lasting) t;
  -- Another worker took the lease itself.
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

const WORKERS = /* sql */ `
-- Null: another process of that name is alive. \`is_alone\`: none is in the place. So one that is registered there is dead: its
-- name is free and its leases end at once, but for those that a worker who died left there before.
create function pawl.register(
  p bigint, named text, process uuid, on_host text, of_version text, with_labels text[], up_to int, for_time interval,
  at_place text, is_alone boolean
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  becomes text;
begin
  perform pawl.permit(p, 'only a worker''s or a person''s role works', 'worker', 'person');
  update pawl.worker set state = 'gone'
  where is_alone and project = p and name = named and place = at_place and id <> process and state not in ('drained', 'gone');
  if found then
    update pawl.lease l set until = clock_timestamp()
    where l.project = p and split_part(l.holder, ' ', 1) = named and l.until > clock_timestamp() and not exists (
      select from pawl.reservation r
      where r.project = p and r.what = l.what and r.epoch = l.epoch and r.place is null
    );
  end if;
  insert into pawl.worker as w (project, name, id, host, version, labels, capacity, state, lasting, place)
  values (p, named, process, on_host, of_version, with_labels, up_to, 'working', for_time, at_place)
  on conflict (project, name) do update
  set id = excluded.id, host = excluded.host, version = excluded.version, labels = excluded.labels,
    capacity = excluded.capacity, at_work = 0, state = 'working', login = session_user, lasting = excluded.lasting,
    place = excluded.place, since = clock_timestamp(), beat = clock_timestamp()
  where w.id = excluded.id or w.state in ('drained', 'gone') or w.beat + w.lasting < clock_timestamp()
  returning w.state into becomes;
  return becomes;
end $$;

-- Asked for: its state and the oldest shape that a program may be made for. No state: it is no longer registered.
create function pawl.beat(p bigint, named text, process uuid, working int, drains boolean, out is_in text, out min_client int)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pawl.permit(p, 'only a worker''s or a person''s role works', 'worker', 'person');
  update pawl.worker w
  set beat = clock_timestamp(), at_work = working,
    state = case when drains then 'draining' when w.state in ('drained', 'gone') then 'working' else w.state end
  where w.project = p and w.name = named and w.id = process
  returning w.state into is_in;
  select max(m.readable_from) into min_client from pawl.migration m;
end $$;

create function pawl.leave(p bigint, named text, process uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pawl.permit(p, 'only a worker''s or a person''s role works', 'worker', 'person');
  update pawl.worker set state = 'drained', at_work = 0, beat = clock_timestamp()
  where project = p and name = named and id = process;
end $$;

-- Its state before; null: there is no such worker.
create function pawl.drain(p bigint, named text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before text;
begin
  perform pawl.permit(p, 'only a person''s role drains a worker', 'person');
  select case when w.state <> 'drained' and w.beat + w.lasting < clock_timestamp() then 'gone' else w.state end into before
  from pawl.worker w where w.project = p and w.name = named for update;
  update pawl.worker set state = 'draining' where project = p and name = named and before = 'working';
  return before;
end $$;
`;

/**
 * The commit. Outcomes: `committed`; `known`: a commit with this id happened earlier, at this revision;
 * `changed`: what was read may have changed; `fenced`: another worker took the lease; `restored`: the base is
 * not in this history.
 */
const COMMIT = /* sql */ `
create function pawl.commit(
  p bigint, commit_id uuid, base bigint, base_head uuid, reads text[], folders text[],
  changes jsonb, emptied boolean, lines text[], fence_what text, fence_epoch bigint,
  out outcome text, out at_revision bigint
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  present pawl.project;
begin
  perform pawl.permit(p, 'only a worker''s or a person''s role writes', 'worker', 'person');
  -- What is answered as committed is on the server's disk, whatever its own configuration.
  perform set_config('synchronous_commit', 'on', true), set_config('lock_timeout', '20s', true);
  select * into present from pawl.project where id = p for update;
  if not found then
    raise exception using errcode = 'PW004', message = 'there is no such project';
  end if;
  select c.revision into at_revision from pawl.commit c where c.project = p and c.id = commit_id;
  if found then
    outcome := 'known';
    return;
  end if;
  at_revision := present.revision;
  if fence_what is not null then
    perform from pawl.lease l
    where l.project = p and l.what = fence_what and l.epoch = fence_epoch and l.holder is not null
    for share;
    if not found then
      outcome := 'fenced';
      return;
    end if;
  end if;
  if base > 0 and not exists (
    select from pawl.commit c where c.project = p and c.revision = base and c.id = base_head
  ) then
    outcome := 'restored';
    return;
  end if;
  if base < present.revision and pawl.touched(p, base, reads, folders) then
    outcome := 'changed';
    return;
  end if;
  if pawl.role(p) = 'worker' then
    perform pawl.check_worker(p, changes, emptied, lines);
  end if;
  at_revision := present.revision + 1;
  perform pawl.apply(p, changes, at_revision);
  perform pawl.log(p, emptied, lines, at_revision);
  perform pawl.settle(p, lines);
  insert into pawl.commit (project, revision, id, previous) values (p, at_revision, commit_id, present.head);
  update pawl.project set revision = at_revision, head = commit_id where id = p;
  outcome := 'committed';
end $$;
`;

/** The functions that take and renew leases need a role that may write. */
const LEASES = /* sql */ `
create function pawl.check_lease_writer() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pawl.permit(coalesce(new.project, old.project), 'only a worker''s or a person''s role takes a lease', 'worker', 'person');
  return null;
end $$;
create trigger check_writer after insert or update or delete on pawl.lease
for each row execute function pawl.check_lease_writer();
`;

const TABLE_NAMES = ["project", "document", "commit", "event", "lease", "worker", "spend", "reservation"];

const policy = (table: string, which: string) => /* sql */ `
alter table pawl.${table} enable row level security;
create policy members on pawl.${table} for select using (${which});`;

/**
 * A login that was granted a table by mistake still sees no rows without one of the roles, and changes
 * nothing. The lists are made once for each query.
 */
const ROWS = [
  ...TABLE_NAMES.map((name) =>
    policy(name, `${name === "project" ? "id" : "project"} = any ((select pawl.projects())::bigint[])`),
  ),
  policy("migration", "(select pawl.role()) <> 'none' or (select pawl.projects()) <> '{}'"),
].join("\n");

export const WORKERS_SHAPE = [TABLES, ROLES, VERDICTS, SPEND, TAKE, WORKERS, COMMIT, LEASES, ROWS].join("\n");
