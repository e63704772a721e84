/**
 * The database's schema, one step after another. From 1.0 on, a step is never changed: another follows it. A
 * step adds what the next version needs (expand); a later step removes what no version needs any more
 * (contract), and raises `readableFrom`.
 */

import { WORKERS_SHAPE } from "./workers-shape.ts";

export interface Migration {
  readonly version: number;
  readonly says: string;
  /** The oldest schema version whose programs still work with this one. */
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

/**
 * Whether something that was read has changed since. May answer true wrongly: the caller compares the texts.
 */
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

/**
 * A file cannot be where another document needs a folder. Written so that only the index by path fits: a
 * table that was just filled has no statistics, and the server would otherwise use the index by revision and
 * read all documents for each.
 */
const BLOCKED = /* sql */ `
create function pawl.blocked(p bigint, named text) returns boolean
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

/** Each change applies to the result of the previous ones. */
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
-- Each verdict says which login brought it, whatever it says of itself: of keys of one name the last one counts.
create function pawl.stamped(line text) returns text
language plpgsql as $$
begin
  if line ~ '"strength"|"(task:approved|question:answered|task:edited)"' and jsonb_typeof(pawl.parsed(line)) = 'object' then
    return left(rtrim(line, E' \\t\\r\\n'), -1) || ',"login":' || to_json(session_user::text) || E'}\\n';
  end if;
  return line;
end $$;

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
  select p, o.events + l.n, next, case when emptied then l.line else pawl.stamped(l.line) end
  from pawl.project o, unnest(lines) with ordinality l(line, n)
  where o.id = p;
  update pawl.project set events = events + cardinality(lines) where id = p;
end $$;
`;

/**
 * An epoch is never below the time in seconds. So it also grows if the leases were lost: in a restored
 * backup, or if the project moved to another database. Git remotes remember epochs.
 *
 * If a taker repeats its take because the reply was lost, or because its renewals were, the lease is
 * prolonged from now. If it has expired, it is taken anew.
 */
const LEASES = /* sql */ `
create function pawl.take(p bigint, named text, taker text, lasting interval, out taken_epoch bigint, out was_left boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  present pawl.lease;
begin
  perform pawl.permit(p, 'only a worker''s or a person''s role takes a lease', 'worker', 'person');
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

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    says: "projects with their documents, events, commits and leases, workers, what agents spend, and who may do what",
    readableFrom: 1,
    sql: [TABLES, TOUCHED, BLOCKED, PUT, APPLY, LOG, LEASES, WORKERS_SHAPE].join("\n"),
  },
];
