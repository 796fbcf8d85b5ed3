-- Makes the tables of how long data is kept: by steps of promises, and for what has no age of its own by app, report
-- and learned value.
-- Returns: no rows.
create temporary table backup_step (
    metric_id integer, bit integer, shorter smallint, age bigint, began timestamptz
) on commit drop;
create temporary table backup_app (app text, shortest bigint) on commit drop;
create temporary table backup_report (app text, report text, kept bigint) on commit drop;
create temporary table backup_label (app text, dimension text, kept bigint) on commit drop;
