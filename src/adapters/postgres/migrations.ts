/**
 * The database's shape, one step after another. A step that ran somewhere is never changed: another follows it. A step adds what
 * the next version needs (expand); what nobody needs any more goes with a later step (contract), which then says so in
 * `readableFrom`.
 */

import { PLACES_SHAPE } from "./places-shape.ts";
import { WORKERS_SHAPE } from "./workers-shape.ts";

export interface Migration {
  readonly version: number;
  readonly says: string;
  /** The oldest shape that a program may have been made for to go on working with this one. */
  readonly readableFrom: number;
  readonly sql: string;
}

const TABLES = /* sql */ `
create table pawl.project (
  id bigint generated always as identity primary key,
  name text not null unique,
  revision bigint not null default 0,
  -- The last commit's id. Null: there is none.
  head uuid,
  -- The place of the last event, and which log it is.
  events bigint not null default 0,
  generation uuid not null default gen_random_uuid()
);

create table pawl.document (
  project bigint not null references pawl.project,
  path text collate "C" not null,
  -- Null: removed at its revision.
  text text,
  revision bigint not null,
  -- The revision in which the document appeared or disappeared.
  since bigint not null,
  primary key (project, path)
) with (fillfactor = 80);
create index document_newer on pawl.document (project, revision);

create table pawl.commit (
  project bigint not null references pawl.project,
  revision bigint not null,
  id uuid not null,
  previous uuid,
  who text not null default session_user,
  at timestamptz not null default clock_timestamp(),
  primary key (project, revision),
  unique (project, id)
);

create table pawl.event (
  project bigint not null references pawl.project,
  place bigint not null,
  revision bigint not null,
  text text not null,
  primary key (project, place)
);

create table pawl.lease (
  project bigint not null references pawl.project,
  what text not null,
  -- Raised with each take: what an earlier holder still commits is refused by it.
  epoch bigint not null,
  -- Null: released.
  holder text,
  until timestamptz not null,
  primary key (project, what)
);
`;

/** Whether something that was read has changed since. Too much is possible: the caller compares the texts. */
const TOUCHED = /* sql */ `
create function pawl.touched(p bigint, base bigint, reads text[], folders text[]) returns boolean
language sql stable as $$
  select exists (
    select from pawl.document d
    where d.project = p and d.revision > base and (
      d.path = any(reads)
      or d.since > base and exists (
        select from unnest(folders) f where f = '' or starts_with(d.path, f || '/')
      )
    )
  ) or (
    ('.pawl/events.jsonl' = any(reads) or '.pawl' = any(folders) or '' = any(folders))
    -- A log that was emptied may have changed, too.
    and coalesce((
      select e.revision from pawl.event e where e.project = p order by e.place desc limit 1
    ), base + 1) > base
  )
$$;
`;

/** A file cannot be where another document needs a folder. */
const BLOCKED = /* sql */ `
create function pawl.blocked(p bigint, named text) returns boolean
language sql stable as $$
  select exists (
    select from pawl.document d
    where d.project = p and d.text is not null
      and d.path >= named collate "C" || '/' and d.path < named collate "C" || '0'
  ) or exists (
    select from pawl.document d
    where d.project = p and d.text is not null and d.path in (
      select array_to_string(parts[1:n], '/')
      from string_to_array(named, '/') parts, generate_series(1, cardinality(parts) - 1) n
    )
  )
$$;
`;

const PUT = /* sql */ `
create function pawl.put(p bigint, named text, new_text text, next bigint) returns void
language plpgsql as $$
begin
  update pawl.document d
  set text = new_text, revision = next, since = case when d.text is null then next else d.since end
  where d.project = p and d.path = named;
  if not found then
    insert into pawl.document (project, path, text, revision, since) values (p, named, new_text, next, next);
  end if;
  if (select d.since = next from pawl.document d where d.project = p and d.path = named)
    and pawl.blocked(p, named) then
    raise exception using errcode = 'PW002', message = 'a document is where a folder is needed', detail = named;
  end if;
end $$;

create function pawl.drop_document(p bigint, named text, next bigint) returns void
language sql as $$
  update pawl.document set text = null, revision = next, since = next
  where project = p and path = named and text is not null
$$;
`;

/** Each change counts on the result of those before. */
const APPLY = /* sql */ `
create function pawl.apply(p bigint, changes jsonb, next bigint) returns void
language plpgsql as $$
declare
  change jsonb;
  named text;
  present text;
begin
  for change in select value from jsonb_array_elements(changes) loop
    named := change->>'path';
    select d.text into present from pawl.document d where d.project = p and d.path = named;
    case change->>'type'
      when 'write' then
        perform pawl.put(p, named, change->>'text', next);
      when 'append' then
        -- A line never continues one that an earlier writer left unfinished.
        perform pawl.put(p, named, concat(
          present,
          case when right(present, 1) <> E'\\n' and right(change->>'text', 1) = E'\\n' then E'\\n' end,
          change->>'text'
        ), next);
      when 'remove' then
        perform pawl.drop_document(p, named, next);
      when 'move' then
        if present is null then
          raise exception using errcode = 'PW003', message = 'there is nothing to move', detail = named;
        end if;
        if exists (
          select from pawl.document d where d.project = p and d.path = change->>'to' and d.text is not null
        ) then
          raise exception using errcode = 'PW001', message = 'the target of a move exists', detail = change->>'to';
        end if;
        perform pawl.drop_document(p, named, next);
        perform pawl.put(p, change->>'to', present, next);
    end case;
  end loop;
end $$;
`;

const LOG = /* sql */ `
create function pawl.log(p bigint, emptied boolean, lines text[], next bigint) returns void
language plpgsql as $$
begin
  if emptied then
    delete from pawl.event where project = p;
    update pawl.project set events = 0, generation = gen_random_uuid() where id = p;
  end if;
  if cardinality(lines) = 0 then
    return;
  end if;
  update pawl.event e set text = e.text || E'\\n'
  from pawl.project o
  where o.id = p and e.project = p and e.place = o.events and right(e.text, 1) <> E'\\n';
  insert into pawl.event (project, place, revision, text)
  select p, o.events + l.n, next, l.line
  from pawl.project o, unnest(lines) with ordinality l(line, n)
  where o.id = p;
  update pawl.project set events = events + cardinality(lines) where id = p;
end $$;
`;

/**
 * The commit. Outcomes: `committed`; `known`: a commit with this id happened earlier, at this revision; `changed`: what was read
 * may have changed; `fenced`: somebody else took the lease; `restored`: the base is not in this history.
 */
const COMMIT = /* sql */ `
create function pawl.commit(
  p bigint, commit_id uuid, base bigint, base_head uuid, reads text[], folders text[],
  changes jsonb, emptied boolean, lines text[], fence_what text, fence_epoch bigint,
  out outcome text, out at_revision bigint
)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  present pawl.project;
begin
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
  at_revision := present.revision + 1;
  perform pawl.apply(p, changes, at_revision);
  perform pawl.log(p, emptied, lines, at_revision);
  insert into pawl.commit (project, revision, id, previous) values (p, at_revision, commit_id, present.head);
  update pawl.project set revision = at_revision, head = commit_id where id = p;
  outcome := 'committed';
end $$;
`;

const LEASES = /* sql */ `
create function pawl.take(p bigint, named text, taker text, lasting interval, out taken_epoch bigint, out was_left boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  present pawl.lease;
begin
  insert into pawl.lease (project, what, epoch, holder, until)
  values (p, named, 0, null, clock_timestamp()) on conflict do nothing;
  select * into present from pawl.lease where project = p and what = named for update;
  -- The taker's own: the reply to its first call was lost.
  if present.holder = taker then
    taken_epoch := present.epoch;
    return;
  end if;
  if present.holder is not null and present.until > clock_timestamp() then
    return;
  end if;
  taken_epoch := present.epoch + 1;
  was_left := present.holder is not null;
  update pawl.lease set epoch = taken_epoch, holder = taker, until = clock_timestamp() + lasting
  where project = p and what = named;
end $$;

-- Returns those that are still held.
create function pawl.renew(p bigint, named text[], epochs bigint[], lasting interval) returns setof text
language sql set search_path = pg_catalog, pg_temp as $$
  update pawl.lease l set until = clock_timestamp() + lasting
  from unnest(named, epochs) held(what, epoch)
  where l.project = p and l.what = held.what and l.epoch = held.epoch and l.holder is not null
  returning l.what
$$;

create function pawl.release(p bigint, named text, held bigint) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  update pawl.lease set holder = null where project = p and what = named and epoch = held
$$;
`;

/**
 * An epoch is never below the time in seconds. So it also grows where the leases were lost: in a restored backup, or in another
 * database that has the project now. Git remotes remember epochs.
 */
const EPOCHS = /* sql */ `
create or replace function pawl.take(p bigint, named text, taker text, lasting interval, out taken_epoch bigint, out was_left boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  present pawl.lease;
begin
  insert into pawl.lease (project, what, epoch, holder, until)
  values (p, named, 0, null, clock_timestamp()) on conflict do nothing;
  select * into present from pawl.lease where project = p and what = named for update;
  -- The taker's own: the reply to its first call was lost.
  if present.holder = taker then
    taken_epoch := present.epoch;
    return;
  end if;
  if present.holder is not null and present.until > clock_timestamp() then
    return;
  end if;
  taken_epoch := greatest(present.epoch + 1, extract(epoch from clock_timestamp())::bigint);
  was_left := present.holder is not null;
  update pawl.lease set epoch = taken_epoch, holder = taker, until = clock_timestamp() + lasting
  where project = p and what = named;
end $$;
`;

/** What ends with a slash was read with everything below it: the parts of a document. */
const PARTS = /* sql */ `
create or replace function pawl.touched(p bigint, base bigint, reads text[], folders text[]) returns boolean
language sql stable as $$
  select exists (
    select from pawl.document d
    where d.project = p and d.revision > base and (
      d.path = any(reads)
      or exists (select from unnest(reads) r where right(r, 1) = '/' and starts_with(d.path, r))
      or d.since > base and exists (
        select from unnest(folders) f where f = '' or starts_with(d.path, f || '/')
      )
    )
  ) or (
    ('.pawl/events.jsonl' = any(reads) or '.pawl' = any(folders) or '' = any(folders))
    -- A log that was emptied may have changed, too.
    and coalesce((
      select e.revision from pawl.event e where e.project = p order by e.place desc limit 1
    ), base + 1) > base
  )
$$;
`;

/**
 * The same question, asked so that only the index by path answers it well. A table that has just been filled has no statistics: the
 * server took the index by revision, and read all documents for each.
 */
const BLOCKED_BY_PATH = /* sql */ `
create or replace function pawl.blocked(p bigint, named text) returns boolean
language sql stable as $$
  select coalesce((
    select d.path from pawl.document d
    where d.project = p and d.text is not null and d.path >= named collate "C" || '/'
    order by d.path limit 1
  ) < named collate "C" || '0', false) or exists (
    select from generate_series(1, cardinality(string_to_array(named, '/')) - 1) n
    where (
      select d.text from pawl.document d
      where d.project = p and d.path = array_to_string((string_to_array(named, '/'))[1:n], '/')
    ) is not null
  )
$$;
`;

/**
 * A taker that lost its lease and takes it again counts from the moment when it asked, as every taker does: so the lease begins
 * again then. It was the reply to its first call that was lost, or its renewals. Once the lease has run out, it is taken anew.
 */
const TAKEN_AGAIN = /* sql */ `
create or replace function pawl.take(p bigint, named text, taker text, lasting interval, out taken_epoch bigint, out was_left boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  present pawl.lease;
begin
  insert into pawl.lease (project, what, epoch, holder, until)
  values (p, named, 0, null, clock_timestamp()) on conflict do nothing;
  select * into present from pawl.lease where project = p and what = named for update;
  if present.holder is not null and present.until > clock_timestamp() then
    update pawl.lease set until = clock_timestamp() + lasting
    where project = p and what = named and holder = taker
    returning epoch into taken_epoch;
    return;
  end if;
  taken_epoch := greatest(present.epoch + 1, extract(epoch from clock_timestamp())::bigint);
  was_left := present.holder is not null and present.holder <> taker;
  update pawl.lease set epoch = taken_epoch, holder = taker, until = clock_timestamp() + lasting
  where project = p and what = named;
end $$;

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

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    says: "projects with their documents, events, commits and leases",
    readableFrom: 1,
    sql: [TABLES, TOUCHED, BLOCKED, PUT, APPLY, LOG, COMMIT, LEASES].join("\n"),
  },
  {
    version: 2,
    says: "epochs of leases that grow from one database to the next",
    readableFrom: 1,
    sql: EPOCHS,
  },
  {
    version: 3,
    says: "workers, what agents spend, and who may do what",
    readableFrom: 1,
    sql: WORKERS_SHAPE,
  },
  {
    version: 4,
    says: "long lists in parts, of which a change writes one",
    // An earlier program would read the names of the parts for the text.
    readableFrom: 4,
    sql: PARTS,
  },
  {
    version: 5,
    says: "where workers work, and may go on with what they left",
    readableFrom: 4,
    sql: PLACES_SHAPE,
  },
  {
    version: 6,
    says: "many documents in one commit, in no more time than each of them takes",
    readableFrom: 4,
    sql: BLOCKED_BY_PATH,
  },
  {
    version: 7,
    says: "a lease that its holder lost and takes again, which lasts as long as any other",
    readableFrom: 4,
    sql: TAKEN_AGAIN,
  },
];
