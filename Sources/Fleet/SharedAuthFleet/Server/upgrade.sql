-- Upgrades the schema of SharedAuth's fleets from version 1 to version 2, in one transaction. Run it as the role that
-- owns the schema:
--
--     sharedauth fleet schema --upgrade | psql --set ON_ERROR_STOP=1 DATABASE
--
-- Update SharedAuth on the devices first: it works with both versions, and earlier releases refuse version 2. Devices
-- need not disconnect. If a device exchanges tokens meanwhile, the script may end because of its time limit for locks;
-- then nothing is changed, and you can run it again.
--
-- Version 2 limits the room of each person, in bytes: see the column person.room.

BEGIN;
SET LOCAL lock_timeout = '10s';

DO $$
BEGIN
    IF (SELECT array_agg(number) FROM sharedauth_fleet.schema_version) IS DISTINCT FROM ARRAY[1] THEN
        RAISE EXCEPTION 'This script upgrades version 1 of the schema, which the database does not have.';
    END IF;
END
$$;

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
ALTER TABLE sharedauth_fleet.person ADD COLUMN room bigint NOT NULL DEFAULT 16777216 CHECK (room >= 0);
CREATE TRIGGER limit_room AFTER INSERT OR UPDATE OF sealed ON sharedauth_fleet.record
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.limit_room();
CREATE TRIGGER limit_room AFTER INSERT ON sharedauth_fleet.header
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.limit_room();
CREATE TRIGGER limit_room AFTER INSERT ON sharedauth_fleet.turn
    FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.limit_room();
UPDATE sharedauth_fleet.schema_version SET number = 2;

COMMIT;
