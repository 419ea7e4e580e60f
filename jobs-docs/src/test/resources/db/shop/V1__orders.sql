create table shop_order (id bigint primary key);
