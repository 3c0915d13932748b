-- additive: A command's answer names its place in the live stream: the number of the transaction that settled it. What
-- older servers settle has none, and neither have their answers.

alter table commands add column settled_change xid8;
