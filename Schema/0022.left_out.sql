-- Groupings of which so little could be shown that nothing is; numbers of events without their sums or their devices.
alter table throng.withheld_cell drop constraint withheld_cell_reason_known;
alter table throng.withheld_cell add constraint withheld_cell_reason_known check (reason between 0 and 10);
comment on column throng.withheld_cell.reason is '0 small, 1 dominated sum, 2 reveals another, 3 bounds another, 4 leaves a small rest, 5 relates single devices, 6 reveals devices, 7 coarsened, 8 reveals cells of metrics of the same events, 9 few say that they are in it, 10 its grouping gives next to nothing. Unit: none.';
comment on column throng.released_cell.sums is 'One a sum of the layout; none where they are withheld beside the number of events. Unit: 10^-decimals of the sum''s unit.';
comment on column throng.released_cell.reach is 'Proved lower bound on devices; null where it is not published, or withheld beside the number of events. Unit: devices.';
