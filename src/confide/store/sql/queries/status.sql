-- server
-- What the database is: versions and size.
SELECT split_part(current_setting('server_version'), ' ', 1) AS postgres,
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
    pg_database_size(current_database()) AS size_bytes;

-- migrations
-- The migrations this database has, in order.
SELECT name FROM confide.migration ORDER BY number;
