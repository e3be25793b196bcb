-- The schema of SharedAuth's fleets, version 2, for PostgreSQL 13 or later. Run it as the role that shall own it:
--
--     sharedauth fleet schema | psql --single-transaction --set ON_ERROR_STOP=1 DATABASE
--
-- Then, for each person, where alice is the person's role:
--
--     CREATE ROLE alice LOGIN IN ROLE sharedauth_person;
--     INSERT INTO sharedauth_fleet.person (role) VALUES ('alice');
--
-- A person's role must not own the schema, be a superuser, or have BYPASSRLS: row security does not hold for these.

DO $$
BEGIN
    CREATE ROLE sharedauth_person NOLOGIN;
EXCEPTION WHEN duplicate_object THEN
    NULL;
END
$$;

CREATE SCHEMA sharedauth_fleet;
REVOKE ALL ON SCHEMA sharedauth_fleet FROM PUBLIC;
GRANT USAGE ON SCHEMA sharedauth_fleet TO sharedauth_person;

CREATE TABLE sharedauth_fleet.schema_version (number integer NOT NULL);
INSERT INTO sharedauth_fleet.schema_version VALUES (2);

-- The role is stored by its identity, so that it may be renamed. PostgreSQL lets every role listen on every channel, so
-- the channel of a person's notifications has a random name. The room is the number of bytes that the person's records
-- may take; their lists of devices may take as much again.
CREATE TABLE sharedauth_fleet.person (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role regrole NOT NULL UNIQUE,
    channel text NOT NULL UNIQUE DEFAULT 'fleet_' || replace(gen_random_uuid()::text, '-', ''),
    room bigint NOT NULL DEFAULT 16777216 CHECK (room >= 0)
);

CREATE FUNCTION sharedauth_fleet.me() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT id FROM sharedauth_fleet.person
        WHERE role = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user)
    $$;
REVOKE ALL ON FUNCTION sharedauth_fleet.me() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sharedauth_fleet.me() TO sharedauth_person;

-- The lists of a person's devices, signed by them. They are only added to.
CREATE TABLE sharedauth_fleet.header (
    person bigint NOT NULL DEFAULT sharedauth_fleet.me() REFERENCES sharedauth_fleet.person ON DELETE CASCADE,
    number integer NOT NULL CHECK (number > 0),
    body bytea NOT NULL CHECK (octet_length(body) <= 1048576),
    PRIMARY KEY (person, number)
);

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
ALTER TABLE sharedauth_fleet.header ENABLE ROW LEVEL SECURITY;
ALTER TABLE sharedauth_fleet.record ENABLE ROW LEVEL SECURITY;
ALTER TABLE sharedauth_fleet.turn ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sharedauth_fleet.person TO sharedauth_person
    USING (id = (SELECT sharedauth_fleet.me()));
CREATE POLICY own ON sharedauth_fleet.header TO sharedauth_person
    USING (person = (SELECT sharedauth_fleet.me())) WITH CHECK (person = (SELECT sharedauth_fleet.me()));
CREATE POLICY own ON sharedauth_fleet.record TO sharedauth_person
    USING (person = (SELECT sharedauth_fleet.me())) WITH CHECK (person = (SELECT sharedauth_fleet.me()));
CREATE POLICY own ON sharedauth_fleet.turn TO sharedauth_person
    USING (person = (SELECT sharedauth_fleet.me())) WITH CHECK (person = (SELECT sharedauth_fleet.me()));

GRANT SELECT ON sharedauth_fleet.schema_version, sharedauth_fleet.person TO sharedauth_person;
GRANT SELECT, INSERT ON sharedauth_fleet.header TO sharedauth_person;
GRANT SELECT, INSERT, UPDATE, DELETE ON sharedauth_fleet.record TO sharedauth_person;
GRANT SELECT, INSERT, UPDATE ON sharedauth_fleet.turn TO sharedauth_person;

-- Tells a person's devices that something changed, and nothing else.
CREATE FUNCTION sharedauth_fleet.announce() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
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

-- Keeps one person from filling the server. A change that makes a record no longer, such as a sign-out, is always
-- possible; so is the removal of a device, since lists are counted by themselves.
CREATE FUNCTION sharedauth_fleet.limit_room() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
    AS $$
        DECLARE
            used bigint;
        BEGIN
            IF TG_TABLE_NAME = 'header' THEN
                SELECT sum(octet_length(body) + 64) INTO used FROM sharedauth_fleet.header WHERE person = NEW.person;
            ELSIF TG_TABLE_NAME = 'turn' THEN
                SELECT 64 * count(*) INTO used FROM sharedauth_fleet.turn WHERE person = NEW.person;
            ELSE
                IF TG_OP = 'UPDATE' AND octet_length(NEW.sealed) <= octet_length(OLD.sealed) THEN
                    RETURN NULL;
                END IF;
                SELECT sum(coalesce(octet_length(sealed), 0) + 64) INTO used
                FROM sharedauth_fleet.record WHERE person = NEW.person;
            END IF;
            IF used > (SELECT room FROM sharedauth_fleet.person WHERE id = NEW.person) THEN
                RAISE EXCEPTION 'The person has no room left.' USING ERRCODE = 'program_limit_exceeded';
            END IF;
            RETURN NULL;
        END
    $$;
CREATE TRIGGER limit_room AFTER INSERT OR UPDATE OF sealed ON sharedauth_fleet.record
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.limit_room();
CREATE TRIGGER limit_room AFTER INSERT ON sharedauth_fleet.header
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.limit_room();
CREATE TRIGGER limit_room AFTER INSERT ON sharedauth_fleet.turn
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.limit_room();
