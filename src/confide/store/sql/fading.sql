-- How memories fade, as store/strength.py says it. Stated anew like the policy.

CREATE OR REPLACE FUNCTION confide.strength(
    base double precision, reinforced_at timestamptz, moment timestamptz, fades boolean)
RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN fades THEN base * pg_catalog.power(0.5, GREATEST(0,
            EXTRACT(epoch FROM moment - reinforced_at))::double precision / 7776000)
        ELSE base END
$$;
