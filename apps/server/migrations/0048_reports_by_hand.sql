-- additive: Reports of a month that somebody had generated; nobody is sent them by itself. Servers of older versions send them like others. See decision 83.

alter table kept_reports add column by_hand boolean not null default false;
