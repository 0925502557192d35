ALTER TABLE "plans" ADD COLUMN "retain_days" integer;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "retain_days" integer;--> statement-breakpoint
-- What ended long ago is deleted every day, so that the defaults (a fifth of the table) would come late.
ALTER TABLE "runs" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "deliveries" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "attempts" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
