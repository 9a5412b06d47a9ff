-- Deliveries that are due are found by webhook_delivery_order.
drop index webhook_delivery_due;
