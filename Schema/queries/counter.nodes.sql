-- On how many nodes of a cluster of Citus the counters are.
-- Returns: one row, the number of nodes; 0 where this PostgreSQL has them itself.
select throng.counter_nodes();
