"""What must hold after all faults. Each check returns the figures and the broken rules, as sentences."""

import collections

# Notes in the database itself: every result of a block with its epoch, its owner and the machine that wrote it, and every
# generation of an account's tokens.
NOTES = """
CREATE SCHEMA notes;
CREATE TABLE notes.result (
  id BIGINT GENERATED ALWAYS AS IDENTITY, import TEXT, no BIGINT, epoch BIGINT, owner TEXT, client TEXT, problem TEXT);
CREATE TABLE notes.worker (id TEXT, client TEXT);
CREATE TABLE notes.generation (account TEXT, revision BIGINT);
CREATE FUNCTION notes.result() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE problem TEXT;
BEGIN
  IF NEW.epoch < OLD.epoch THEN problem = 'the epoch went back'; END IF;
  IF NEW.result IS DISTINCT FROM OLD.result THEN
    IF OLD.state <> 'claimed' OR NEW.epoch <> OLD.epoch THEN problem = 'a result without a claim'; END IF;
    -- A row that was added, skipped, failed or unsettled stays so.
    FOR i IN 0..coalesce(length(OLD.result), 0) - 1 LOOP
      IF get_byte(OLD.result, i) BETWEEN 1 AND 4 AND get_byte(NEW.result, i) <> get_byte(OLD.result, i) THEN
        problem = 'the fate of a row has changed';
      END IF;
    END LOOP;
  ELSIF problem IS NULL THEN RETURN NULL;
  END IF;
  INSERT INTO notes.result (import, no, epoch, owner, client, problem)
    VALUES (NEW.import_id, NEW.no, NEW.epoch, OLD.owner, inet_client_addr()::text, problem);
  RETURN NULL;
END $$;
CREATE FUNCTION notes.worker() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notes.worker VALUES (NEW.id, inet_client_addr()::text);
  RETURN NULL;
END $$;
CREATE FUNCTION notes.generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notes.generation VALUES (NEW.id, NEW.token_revision);
  RETURN NULL;
END $$;
CREATE TRIGGER note AFTER UPDATE ON block FOR EACH ROW EXECUTE FUNCTION notes.result();
CREATE TRIGGER note AFTER INSERT ON worker FOR EACH ROW EXECUTE FUNCTION notes.worker();
CREATE TRIGGER note AFTER INSERT OR UPDATE OF tokens ON account FOR EACH ROW EXECUTE FUNCTION notes.generation();
"""


def rows(cluster, report):
    """Each row is there once; without keys, a row that nobody knows about is reported."""
    count, has_keys = cluster.arguments.rows, cluster.arguments.keys == "yes"
    found = collections.Counter(text for (text,) in cluster.tenant.query("SELECT text FROM tasks"))
    lost = sum(1 for number in range(count) if not found[f"task {number}"])
    doubled = sum(number - 1 for number in found.values() if number > 1)
    added, failed, unsettled = (report.get(key) or report.get("rows", {}).get(key, 0) for key in ("added", "failed", "unsettled"))
    broken = []
    if doubled:
        broken.append(f"{doubled} rows are there twice")
    if lost > unsettled + failed:
        broken.append(f"{lost} rows are lost, and only {unsettled} unsettled and {failed} failed ones are reported")
    if added + failed + unsettled != count:
        broken.append(f"{added} added, {failed} failed and {unsettled} unsettled rows are not {count}")
    if has_keys and (lost or unsettled):
        broken.append("with idempotency keys each row must be known and be there once")
    return f"rows {count} added {added} failed {failed} unsettled {unsettled} lost {lost} doubled {doubled}", broken


def results(cluster):
    """No result of an old epoch: those of a block come in the order of its epochs, each epoch is of one owner, and each
    owner is one machine."""
    broken = [f"block: {line}" for line in cluster.sql(
        "SELECT import, no, epoch, problem FROM notes.result WHERE problem IS NOT NULL").splitlines()]
    broken += [f"a result of an old epoch: {line}" for line in cluster.sql(
        "SELECT import, no, epoch, previous FROM (SELECT *, max(epoch) OVER (PARTITION BY import, no ORDER BY id) AS previous "
        "FROM notes.result) n WHERE epoch < previous").splitlines()]
    broken += [f"two owners of an epoch: {line}" for line in cluster.sql(
        "SELECT import, no, epoch, string_agg(DISTINCT owner, ' ') FROM notes.result GROUP BY 1, 2, 3 "
        "HAVING count(DISTINCT owner) > 1").splitlines()]
    broken += [f"a result that another machine than its owner wrote: {line}" for line in cluster.sql(
        "SELECT r.no, r.epoch, r.client, w.client FROM notes.result r JOIN notes.worker w ON w.id = r.owner "
        "WHERE r.client IS DISTINCT FROM w.client").splitlines()]
    count, highest = cluster.sql("SELECT count(*), coalesce(max(epoch), 0) FROM notes.result").split("|")
    return f"results {count} highest epoch {highest}", broken


def refreshes(cluster):
    """One refresh for each generation of the account's tokens. The tenant revokes a sign-in whose refresh token comes twice."""
    families = cluster.tenant.query("SELECT family, count(*), sum(is_used = 0) FROM refresh_tokens GROUP BY family")
    broken = ["a refresh token was used twice, and the tenant has revoked the sign-in" for family in families if family[2] != 1]
    asked = sum(family[1] - 1 for family in families)
    stored = int(cluster.sql("SELECT count(*) FROM notes.generation"))
    if asked != stored:
        broken.append(f"the tenant was asked for new tokens {asked} times, and {stored} generations were stored")
    for line in cluster.sql("SELECT account, revision, count(*) FROM notes.generation GROUP BY 1, 2 HAVING count(*) > 1").splitlines():
        broken.append(f"a generation was stored twice: {line}")
    return f"refreshes {asked} generations {stored}", broken


def begun_once(cluster, name, what):
    """Each attempt of a run began once."""
    begun = collections.Counter(tuple(map(int, line.split())) for line in cluster.read(name).splitlines())
    broken = [f"the attempt {attempt} of the {what} {key} began {count} times" for (key, attempt), count in begun.items() if count > 1]
    return broken, begun


def ticks(cluster):
    """Each due time has one row, and none is missing; each attempt of a run began once. The clock of the next planner may be
    behind that of the last one. Then the interval goes on at once, with earlier due times, and the planner says so."""
    broken, begun = begun_once(cluster, "ticks.log", "due time")
    known, states, previous, earlier = {}, collections.Counter(), None, 0
    history = cluster.sql("SELECT due, coalesce(until, due), state, attempt FROM run WHERE job = 'tick' AND due IS NOT NULL ORDER BY id")
    for line in history.splitlines():
        due, until, state, attempt = line.split("|")
        due, until, states[state] = int(due), int(until), states[state] + 1
        step = 2000 if previous is None else due - previous
        earlier += step < 2000
        if step > 2000 or due in known:
            broken.append(f"after the due time {previous} comes {due}")
        previous, known[due] = until, int(attempt)
        if state == "ok" and not any((due, number) in begun for number in range(1, int(attempt) + 1)):
            broken.append(f"the run of the due time {due} is ok, and it never began")
        if state not in ("ok", "skipped"):
            broken.append(f"the run of the due time {due} is {state}")
    told = sum(cluster.read(f"{machine.name}-server.log").count("behind the last look at it") for machine in cluster.machines)
    if earlier > told:
        broken.append(f"due times became earlier {earlier} times, and the planners said so {told} times")
    for due, attempt in begun:
        if attempt > known.get(due, 0):
            broken.append(f"the attempt {attempt} of the due time {due} began, and the history does not know it")
    repeated = sum(1 for _, attempt in begun if attempt > 1)
    shown = " ".join(f"{state} {count}" for state, count in sorted(states.items()))
    return f"ticks {len(known)} {shown} repeated {repeated} earlier {earlier}", broken


def runs(cluster):
    """A run goes on within 60 s of its machine's death. That is two leases; a short lease of a test gets 15 s for the other
    work of its machine."""
    bound, seconds = 2 * cluster.lease + 15, cluster.went_on
    broken, _ = begun_once(cluster, "long.log", "run")
    broken += [f"a run of a dead machine did not go on within {bound:.0f} s" for time in seconds if time is None or time > bound]
    known = [time for time in seconds if time is not None]
    shown = f"{min(known):.1f} to {max(known):.1f}" if known else "-"
    return f"runs that went on {len(known)} after seconds {shown}", broken
