-- Run once, by the PostgreSQL of deploy/compose.yaml when its data folder is new: the database and its two accounts, one
-- that owns the tables and one for the servers, which cannot change the audit.
\set owner_password `cat /run/suncrew/owner-password`
\set server_password `cat /run/suncrew/server-password`
create role suncrew_owner login password :'owner_password';
create role suncrew login password :'server_password';
create database suncrew owner suncrew_owner encoding 'UTF8' locale 'C.UTF-8' template template0;
