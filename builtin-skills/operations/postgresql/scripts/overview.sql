-- What a PostgreSQL database is like. Reads only. Usage: psql -X -f overview.sql
\pset border 1
\echo Server
SELECT version(), pg_size_pretty(pg_database_size(current_database())) AS size, now() - pg_postmaster_start_time() AS up;
\echo Largest tables
SELECT relname AS "table", pg_size_pretty(pg_total_relation_size(relid)) AS total, n_live_tup AS rows, n_dead_tup AS dead,
       coalesce(last_autovacuum, last_vacuum)::date AS vacuumed, coalesce(last_autoanalyze, last_analyze)::date AS analysed
FROM pg_stat_user_tables ORDER BY pg_total_relation_size(relid) DESC LIMIT 15;
\echo Statements that run for over a minute, and who waits for whom
SELECT pid, usename, state, now() - xact_start AS transaction, pg_blocking_pids(pid) AS waits_for, left(query, 60) AS statement
FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND (now() - xact_start > interval '1 minute' OR cardinality(pg_blocking_pids(pid)) > 0)
ORDER BY xact_start;
\echo Connections
SELECT state, count(*), current_setting('max_connections') AS max FROM pg_stat_activity WHERE backend_type = 'client backend' GROUP BY 1 ORDER BY 2 DESC;
\echo Indexes that were not used since the statistics began, over 1 MB
SELECT s.relname AS "table", s.indexrelname AS index, pg_size_pretty(pg_relation_size(s.indexrelid)) AS size
FROM pg_stat_user_indexes s JOIN pg_index i USING (indexrelid)
WHERE s.idx_scan = 0 AND NOT i.indisunique AND pg_relation_size(s.indexrelid) > 1048576
ORDER BY pg_relation_size(s.indexrelid) DESC LIMIT 15;
\echo Broken indexes
SELECT indexrelid::regclass AS index FROM pg_index WHERE NOT indisvalid;
\echo Sequences that are used up to more than half
SELECT schemaname || '.' || sequencename AS sequence, last_value, max_value, round(100.0 * last_value / max_value) AS percent
FROM pg_sequences WHERE last_value > max_value / 2;
