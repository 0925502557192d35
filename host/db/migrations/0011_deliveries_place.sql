DROP INDEX "deliveries_due";--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "place" text DEFAULT 'local' NOT NULL;--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("place","next_attempt_at") WHERE "deliveries"."next_attempt_at" is not null;