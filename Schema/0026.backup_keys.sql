-- Backups forget when the house forgets: the key of what is in them goes with the round of retention that takes the same in the
-- house, or with its app. That it went is written down as everything is.

alter table throng.deletion
    drop constraint deletion_kind_known,
    add constraint deletion_kind_known check (
        kind in ('numbers', 'counters', 'files', 'copies', 'coverage', 'labels', 'records', 'backups')
    );
comment on column throng.deletion.kind is 'numbers (released), counters (raw), files (of reports, here), copies (of reports, in folders), coverage, labels, records (what is kept about an app: layouts, promises, runs and the like), or backups (keys of what is in them). Unit: none.';
comment on column throng.deletion.rows is 'How much went: cells, counters, files, hours, labels, records or keys. Unit: rows.';
