-- renew_lease
-- On the primary.
SELECT confide.renew_lease($1, $2);

-- read_at
-- On a standby: how far it sees.
SELECT confide.read_at($1, $2);
