CREATE TABLE "cars" ( "id" NUMERIC, "make" TEXT, "model" TEXT, "year" NUMERIC, "color" TEXT, "vin_number" TEXT, "engine_type" TEXT, "transmission" TEXT, "cost" NUMERIC, "crtd_ts" TEXT );
CREATE TABLE "salespersons" ( "id" NUMERIC, "first_name" TEXT, "last_name" TEXT, "email" TEXT, "phone" TEXT, "hire_date" TEXT, "termination_date" TEXT, "crtd_ts" TEXT );
CREATE TABLE "customers" ( "id" NUMERIC, "first_name" TEXT, "last_name" TEXT, "email" TEXT, "phone" TEXT, "address" TEXT, "city" TEXT, "state" TEXT, "zip_code" TEXT, "crtd_ts" TEXT );
CREATE TABLE "sales" ( "id" NUMERIC, "car_id" NUMERIC, "salesperson_id" NUMERIC, "customer_id" NUMERIC, "sale_price" NUMERIC, "sale_date" TEXT, "crtd_ts" TEXT );
CREATE TABLE "inventory_snapshots" ( "id" NUMERIC, "snapshot_date" TEXT, "car_id" NUMERIC, "is_in_inventory" TEXT, "crtd_ts" TEXT );
CREATE TABLE "payments_received" ( "id" NUMERIC, "sale_id" NUMERIC, "payment_date" TEXT, "payment_amount" NUMERIC, "payment_method" TEXT, "crtd_ts" TEXT );
CREATE TABLE "payments_made" ( "id" NUMERIC, "vendor_name" TEXT, "payment_date" TEXT, "payment_amount" NUMERIC, "payment_method" TEXT, "invoice_number" TEXT, "invoice_date" TEXT, "due_date" TEXT, "crtd_ts" TEXT );
