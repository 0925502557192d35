CREATE TABLE "places" (
	"id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"deployment_domain" text,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "place" text DEFAULT 'local' NOT NULL;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "place_url" text;