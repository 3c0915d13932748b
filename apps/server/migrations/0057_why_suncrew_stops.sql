-- additive: Why Suncrew itself gave a Stop, such as a weather limit that was passed. See decision 86.

-- As part of a sentence; null where nobody needs to be told, as for what people press.
alter table commands add column because text;
