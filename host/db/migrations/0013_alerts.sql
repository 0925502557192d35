CREATE TABLE "alerts" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text,
	"deployment_id" text,
	"type" text NOT NULL,
	"data" json NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"cleared_at" timestamp with time zone,
	"mail_at" timestamp with time zone DEFAULT now(),
	"mail_attempts" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "alert_mail" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "alerts_account" ON "alerts" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "alerts_mail" ON "alerts" USING btree ("mail_at") WHERE "alerts"."mail_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "alerts_failing" ON "alerts" USING btree ("deployment_id") WHERE "alerts"."type" = 'agent.failing' and "alerts"."cleared_at" is null;