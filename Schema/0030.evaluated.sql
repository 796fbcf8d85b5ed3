-- What an app's evaluator makes of a label: with it the daemon makes the label's hash of each window, as devices do.

alter table throng.revealed_label
    add column evaluator text,
    add column output text,
    add constraint revealed_label_evaluated check (
        (evaluator is null) = (output is null)
        and (evaluator is null or octet_length(evaluator) = 44 and octet_length(output) = 43)
    );
comment on column throng.revealed_label.evaluator is 'By which public key it was evaluated, in base64url; null where it was learned from hashes of values alone. Unit: none.';
comment on column throng.revealed_label.output is 'What that key makes of it, 32 bytes in base64url; null where the key is. Unit: none.';

-- Notes what an evaluator makes of a label, instead of what was known.
create function throng.evaluate_label(
    wanted_app text, wanted_dimension text, wanted text, key text, evaluated text
) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    update throng.revealed_label as known
    set evaluator = key,
        output = evaluated
    where known.app = wanted_app
        and known.dimension = wanted_dimension
        and known.label = wanted
$$;

revoke all on function throng.evaluate_label(text, text, text, text, text) from public;
grant execute on function throng.evaluate_label(text, text, text, text, text) to throng_ingest;
