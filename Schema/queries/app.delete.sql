-- Deletes all that PostgreSQL holds of an app, and notes it. Only the owner of the schema may.
-- $1 app: text.
-- $2 copies: bigint, files of its reports that were taken out of folders before.
-- Returns: kind and how many rows went, one row for each kind of which any did; no row where nothing was known of the app.
select gone_kind,
    gone_rows
from throng.delete_app($1, $2::bigint);
