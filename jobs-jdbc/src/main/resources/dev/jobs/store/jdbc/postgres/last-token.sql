-- The last token that was drawn, 0 for none.
select case when is_called then last_value else 0 end from {token}
