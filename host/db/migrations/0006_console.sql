CREATE TABLE "audit" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"account_id" text,
	"actor_id" text,
	"actor_kind" text NOT NULL,
	"token_id" text,
	"operation" text NOT NULL,
	"target" json NOT NULL,
	"status" integer NOT NULL,
	"request_id" text NOT NULL,
	"address" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "guard_days" (
	"account_id" text NOT NULL,
	"day" text NOT NULL,
	"calls" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "guard_days_account_id_day_pk" PRIMARY KEY("account_id","day")
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "session_id" text;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "version" text;--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "address" text;--> statement-breakpoint
CREATE INDEX "audit_account" ON "audit" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "approvals_account" ON "approvals" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "runs_failed_code" ON "runs" USING btree ("deployment_id","error_code","id") WHERE "runs"."status" in ('failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "runs_lineage" ON "runs" USING btree ("deployment_id","lineage","id") WHERE "runs"."lineage" is not null;--> statement-breakpoint
CREATE INDEX "runs_waiting" ON "runs" USING btree ("deployment_id","id") WHERE "runs"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "guard_oauth_account" ON "guard_oauth" USING btree ((payload->>'accountId')) WHERE model = 'Grant';