-- additive: Production's schema has nothing of the demo's history. Servers never called this function: the migration that
-- made it did, and so did a demo that was making up its past.

drop function presence_from_readings();
