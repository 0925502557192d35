ALTER TABLE "credentials" ADD COLUMN "scope" text;--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "missing_scope" text;