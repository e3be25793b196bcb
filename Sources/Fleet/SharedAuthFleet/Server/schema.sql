-- The schema of SharedAuth's fleets, version 3, for PostgreSQL 15. Run it as the role that shall own it:
--
--     sharedauth fleet schema | psql --single-transaction --set ON_ERROR_STOP=1 DATABASE
--
-- Then, for each person, where alice is the person's role:
--
--     CREATE ROLE alice LOGIN IN ROLE sharedauth_person;
--     INSERT INTO sharedauth_fleet.person (role) VALUES ('alice');
--
-- and for each device that has its own role, as the server then knows which device it serves:
--
--     CREATE ROLE alice_laptop LOGIN IN ROLE sharedauth_person;
--     INSERT INTO sharedauth_fleet.device (person, role)
--     SELECT id, 'alice_laptop' FROM sharedauth_fleet.person WHERE role_name = 'alice';
--
-- These roles must not own the schema, be a superuser, or have BYPASSRLS: row security does not hold for these.

DO $$
BEGIN
    IF to_regrole('sharedauth_person') IS NULL THEN
        CREATE ROLE sharedauth_person NOLOGIN;
    END IF;
END
$$;

CREATE SCHEMA sharedauth_fleet;
REVOKE ALL ON SCHEMA sharedauth_fleet FROM PUBLIC;
GRANT USAGE ON SCHEMA sharedauth_fleet TO sharedauth_person;

CREATE TABLE sharedauth_fleet.schema_version (number integer PRIMARY KEY);
INSERT INTO sharedauth_fleet.schema_version VALUES (3);

-- The role is stored by its identity and by its name, and both must be right: another role can have either later, the
-- identity after a restore in another cluster. PostgreSQL lets every role listen on every channel, so the channel of a
-- person's notifications has a random name. The room is the number of bytes that the person's records may take; the
-- lists of devices that a role added may take as much again. The records take no more bytes than are used; null until
-- they are counted.
CREATE TABLE sharedauth_fleet.person (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role regrole NOT NULL UNIQUE,
    role_name name UNIQUE,
    channel text NOT NULL UNIQUE DEFAULT 'fleet_' || replace(gen_random_uuid()::text, '-', ''),
    room bigint NOT NULL DEFAULT 16777216 CHECK (room >= 0),
    used bigint
);

-- A role that one of a person's devices has alone. A role with a row here is this device, and no person of its own. The
-- device itself sets its id in the fleet's list, once. A removed one is nobody.
CREATE TABLE sharedauth_fleet.device (
    role regrole PRIMARY KEY,
    role_name name NOT NULL UNIQUE,
    person bigint NOT NULL REFERENCES sharedauth_fleet.person ON DELETE CASCADE,
    id text CHECK (length(id) <= 64),
    removed timestamptz
);

CREATE FUNCTION sharedauth_fleet.name_role() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
    AS $$
        BEGIN
            NEW.role_name = coalesce(NEW.role_name, (SELECT rolname FROM pg_catalog.pg_roles WHERE oid = NEW.role));
            RETURN NEW;
        END
    $$;
CREATE TRIGGER name_role BEFORE INSERT ON sharedauth_fleet.person
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.name_role();
CREATE TRIGGER name_role BEFORE INSERT ON sharedauth_fleet.device
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.name_role();

CREATE FUNCTION sharedauth_fleet.me() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT CASE WHEN d.role IS NULL THEN p.id WHEN d.removed IS NULL THEN d.person END
        FROM pg_catalog.pg_roles r
        LEFT JOIN sharedauth_fleet.device d ON d.role = r.oid AND d.role_name = r.rolname
        LEFT JOIN sharedauth_fleet.person p ON p.role = r.oid AND p.role_name = r.rolname
        WHERE r.rolname = session_user
    $$;
REVOKE ALL ON FUNCTION sharedauth_fleet.me() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sharedauth_fleet.me() TO sharedauth_person;

-- The lists of a person's devices, signed by them. Of those that a role added, the oldest are deleted when its room is
-- used up. The role is null if version 2 of the schema had the list.
CREATE TABLE sharedauth_fleet.header (
    person bigint NOT NULL DEFAULT sharedauth_fleet.me() REFERENCES sharedauth_fleet.person ON DELETE CASCADE,
    number integer NOT NULL CHECK (number > 0),
    body bytea NOT NULL CHECK (octet_length(body) <= 1048576),
    role name,
    ordinal bigint,
    PRIMARY KEY (person, number)
);
CREATE SEQUENCE sharedauth_fleet.header_ordinal OWNED BY sharedauth_fleet.header.ordinal;

-- A record, sealed by a device; its name is a digest that the server cannot compute.
CREATE TABLE sharedauth_fleet.record (
    person bigint NOT NULL DEFAULT sharedauth_fleet.me() REFERENCES sharedauth_fleet.person ON DELETE CASCADE,
    name bytea NOT NULL CHECK (octet_length(name) = 32),
    epoch bigint NOT NULL DEFAULT 0,
    sealed bytea CHECK (octet_length(sealed) <= 4194304),
    exchanging text CHECK (length(exchanging) <= 64),
    PRIMARY KEY (person, name)
);

-- A row that a device locks while it exchanges a record's tokens.
CREATE TABLE sharedauth_fleet.turn (
    person bigint NOT NULL DEFAULT sharedauth_fleet.me() REFERENCES sharedauth_fleet.person ON DELETE CASCADE,
    name bytea NOT NULL CHECK (octet_length(name) = 32),
    PRIMARY KEY (person, name)
);

ALTER TABLE sharedauth_fleet.person ENABLE ROW LEVEL SECURITY;
ALTER TABLE sharedauth_fleet.device ENABLE ROW LEVEL SECURITY;
ALTER TABLE sharedauth_fleet.header ENABLE ROW LEVEL SECURITY;
ALTER TABLE sharedauth_fleet.record ENABLE ROW LEVEL SECURITY;
ALTER TABLE sharedauth_fleet.turn ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sharedauth_fleet.person TO sharedauth_person
    USING (id = (SELECT sharedauth_fleet.me()));
CREATE POLICY own ON sharedauth_fleet.device TO sharedauth_person
    USING (person = (SELECT sharedauth_fleet.me()));
CREATE POLICY own ON sharedauth_fleet.header TO sharedauth_person
    USING (person = (SELECT sharedauth_fleet.me())) WITH CHECK (person = (SELECT sharedauth_fleet.me()));
CREATE POLICY own ON sharedauth_fleet.record TO sharedauth_person
    USING (person = (SELECT sharedauth_fleet.me())) WITH CHECK (person = (SELECT sharedauth_fleet.me()));
CREATE POLICY own ON sharedauth_fleet.turn TO sharedauth_person
    USING (person = (SELECT sharedauth_fleet.me())) WITH CHECK (person = (SELECT sharedauth_fleet.me()));

-- Rights by column: a right to change or delete rows of a table would be one to lock the table, too.
GRANT SELECT ON sharedauth_fleet.schema_version, sharedauth_fleet.person, sharedauth_fleet.device TO sharedauth_person;
GRANT SELECT, INSERT (number, body) ON sharedauth_fleet.header TO sharedauth_person;
GRANT SELECT, INSERT (name, exchanging), UPDATE (epoch, sealed, exchanging) ON sharedauth_fleet.record
    TO sharedauth_person;
GRANT SELECT, INSERT (name), UPDATE (name) ON sharedauth_fleet.turn TO sharedauth_person;

-- Deletes the records of the person who calls it.
CREATE FUNCTION sharedauth_fleet.delete_records() RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        DELETE FROM sharedauth_fleet.record WHERE person = sharedauth_fleet.me()
    $$;
REVOKE ALL ON FUNCTION sharedauth_fleet.delete_records() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sharedauth_fleet.delete_records() TO sharedauth_person;

-- Returns whether the role that calls it is a removed device's, which sees no row.
CREATE FUNCTION sharedauth_fleet.is_removed() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT EXISTS (
            SELECT FROM sharedauth_fleet.device d
            JOIN pg_catalog.pg_roles r ON r.oid = d.role AND r.rolname = d.role_name
            WHERE r.rolname = session_user AND d.removed IS NOT NULL
        )
    $$;

-- Notes the id of the device whose role calls it, if none is noted. It waits for no other transaction.
CREATE FUNCTION sharedauth_fleet.note_device(id text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        UPDATE sharedauth_fleet.device SET id = note_device.id WHERE role IN (
            SELECT d.role FROM sharedauth_fleet.device d
            JOIN pg_catalog.pg_roles r ON r.oid = d.role AND r.rolname = d.role_name
            WHERE r.rolname = session_user AND d.id IS NULL AND d.removed IS NULL FOR UPDATE OF d SKIP LOCKED
        )
    $$;

-- Removes the roles of a person's device, other than the one that calls it. It waits for no other transaction: a role
-- whose row another one holds stays, until the administrator withdraws it.
CREATE FUNCTION sharedauth_fleet.remove_device(id text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        UPDATE sharedauth_fleet.device SET removed = now() WHERE role IN (
            SELECT d.role FROM sharedauth_fleet.device d
            WHERE d.person = sharedauth_fleet.me() AND d.id = remove_device.id AND d.removed IS NULL
            AND d.role_name <> session_user FOR UPDATE SKIP LOCKED
        )
    $$;
REVOKE ALL ON FUNCTION sharedauth_fleet.is_removed(), sharedauth_fleet.note_device(text),
    sharedauth_fleet.remove_device(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sharedauth_fleet.is_removed(), sharedauth_fleet.note_device(text),
    sharedauth_fleet.remove_device(text) TO sharedauth_person;

-- Tells a person's devices that something changed, and nothing else.
CREATE FUNCTION sharedauth_fleet.announce() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        BEGIN
            PERFORM pg_notify(channel, '') FROM sharedauth_fleet.person WHERE id = NEW.person;
            RETURN NULL;
        END
    $$;
CREATE TRIGGER announce AFTER INSERT OR UPDATE OF sealed ON sharedauth_fleet.record
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.announce();
CREATE TRIGGER announce AFTER INSERT ON sharedauth_fleet.header
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.announce();

-- Notes which role adds a list, and in which order.
CREATE FUNCTION sharedauth_fleet.note_role() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        BEGIN
            NEW.role = session_user;
            NEW.ordinal = nextval('sharedauth_fleet.header_ordinal');
            RETURN NEW;
        END
    $$;
CREATE TRIGGER note_role BEFORE INSERT ON sharedauth_fleet.header
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.note_role();

-- Deletes the oldest lists of devices that the role added, if they take more than its room: never the newest, so a
-- device can always be removed, and never another role's. It waits for no other transaction, which deletes the same.
CREATE FUNCTION sharedauth_fleet.limit_lists() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        BEGIN
            DELETE FROM sharedauth_fleet.header WHERE (person, number) IN (
                SELECT h.person, h.number FROM sharedauth_fleet.header h JOIN (
                    SELECT l.person, l.number, p.room,
                        sum(octet_length(l.body) + 64) OVER newer AS taken, row_number() OVER newer AS place
                    FROM sharedauth_fleet.header l JOIN sharedauth_fleet.person p ON p.id = l.person
                    WHERE l.person IN (SELECT person FROM added) AND coalesce(l.role, p.role_name) = session_user
                    WINDOW newer AS (PARTITION BY l.person ORDER BY l.ordinal DESC NULLS LAST, l.number DESC)
                ) AS own ON (own.person, own.number) = (h.person, h.number)
                WHERE own.taken > own.room AND own.place > 1
                FOR UPDATE OF h SKIP LOCKED
            );
            RETURN NULL;
        END
    $$;
REVOKE ALL ON FUNCTION sharedauth_fleet.note_role(), sharedauth_fleet.limit_lists() FROM PUBLIC;
CREATE TRIGGER limit_lists AFTER INSERT ON sharedauth_fleet.header REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION sharedauth_fleet.limit_lists();

-- Limits the number of a person's records and turns. It waits for no other transaction.
CREATE FUNCTION sharedauth_fleet.limit_rows() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        DECLARE
            present record;
            taken bigint;
        BEGIN
            FOR present IN
                SELECT id, room FROM sharedauth_fleet.person WHERE id IN (SELECT person FROM added)
            LOOP
                IF TG_TABLE_NAME = 'turn' THEN
                    SELECT 256 * count(*) INTO taken FROM sharedauth_fleet.turn WHERE person = present.id;
                ELSE
                    SELECT 256 * count(*) INTO taken FROM sharedauth_fleet.record WHERE person = present.id;
                END IF;
                IF taken > present.room THEN
                    RAISE EXCEPTION 'The person has no room left for a %.', TG_TABLE_NAME USING ERRCODE = 'SA001';
                END IF;
            END LOOP;
            RETURN NULL;
        END
    $$;
REVOKE ALL ON FUNCTION sharedauth_fleet.limit_rows() FROM PUBLIC;
CREATE TRIGGER limit_rows AFTER INSERT ON sharedauth_fleet.record REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION sharedauth_fleet.limit_rows();
CREATE TRIGGER limit_rows AFTER INSERT ON sharedauth_fleet.turn REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION sharedauth_fleet.limit_rows();

-- Limits the size of a person's records. A change that makes them larger locks the person's row, so that it knows of all
-- others. What becomes smaller is only counted when the room seems to be used up; so a change that makes no record
-- longer, such as a sign-out, is always possible, and waits for none of these.
CREATE FUNCTION sharedauth_fleet.limit_room() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        DECLARE
            growth record;
            present record;
            taken bigint;
        BEGIN
            FOR growth IN
                SELECT person, sum(size) AS size FROM (
                    SELECT person, octet_length(sealed) AS size FROM later
                    UNION ALL SELECT person, -octet_length(sealed) FROM earlier
                ) AS sizes
                GROUP BY person HAVING sum(size) > 0 ORDER BY person
            LOOP
                UPDATE sharedauth_fleet.person SET used = used + growth.size WHERE id = growth.person
                RETURNING used, room INTO present;
                CONTINUE WHEN present.used <= present.room;
                SELECT sum(octet_length(sealed)) INTO taken
                FROM sharedauth_fleet.record WHERE person = growth.person;
                UPDATE sharedauth_fleet.person SET used = taken WHERE id = growth.person;
                IF taken > present.room THEN
                    RAISE EXCEPTION 'The person has no room left.' USING ERRCODE = 'SA001';
                END IF;
            END LOOP;
            RETURN NULL;
        END
    $$;
REVOKE ALL ON FUNCTION sharedauth_fleet.announce(), sharedauth_fleet.limit_room() FROM PUBLIC;
CREATE TRIGGER limit_room AFTER UPDATE ON sharedauth_fleet.record
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later
    FOR EACH STATEMENT EXECUTE FUNCTION sharedauth_fleet.limit_room();

-- Keeps roles from making tables of their own in this database, which nothing limits.
DO $$
BEGIN
    IF has_database_privilege('sharedauth_person', current_database(), 'TEMPORARY') THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    END IF;
    IF has_schema_privilege('sharedauth_person', to_regnamespace('public'), 'CREATE') THEN
        REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    END IF;
END
$$;
