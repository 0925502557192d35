CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"password_hash" text,
	"plan" text NOT NULL,
	"operator" boolean DEFAULT false NOT NULL,
	"tester" boolean DEFAULT false NOT NULL,
	"disabled_at" timestamp with time zone,
	"balance" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_balance_not_negative" CHECK ("accounts"."balance" >= 0)
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"account_id" text NOT NULL,
	"key" text NOT NULL,
	"request" text NOT NULL,
	"answer" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"balance" bigint NOT NULL,
	"reason" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"name" text PRIMARY KEY NOT NULL,
	"running_agents" integer,
	"paid" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" json NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"deployment_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "budget_reservations" (
	"run_id" text NOT NULL,
	"effect" integer NOT NULL,
	"epoch" integer NOT NULL,
	"month" text NOT NULL,
	"deployment_id" text NOT NULL,
	"lineage" text,
	"scopes" text[] NOT NULL,
	"tokens" bigint DEFAULT 0 NOT NULL,
	"usd_micros" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budget_reservations_run_id_effect_pk" PRIMARY KEY("run_id","effect")
);
--> statement-breakpoint
CREATE TABLE "budget_usage" (
	"scope" text NOT NULL,
	"id" text NOT NULL,
	"month" text NOT NULL,
	"tokens" bigint DEFAULT 0 NOT NULL,
	"usd_micros" bigint DEFAULT 0 NOT NULL,
	"reserved_tokens" bigint DEFAULT 0 NOT NULL,
	"reserved_micros" bigint DEFAULT 0 NOT NULL,
	"warned" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "budget_usage_scope_id_month_pk" PRIMARY KEY("scope","id","month")
);
--> statement-breakpoint
CREATE TABLE "bundles" (
	"digest" text PRIMARY KEY NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"deployment_id" text NOT NULL,
	"name" text NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"aud" text NOT NULL,
	"jwe" text,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"last_error" text,
	"refresh_lease_until" timestamp with time zone,
	"refresh_lease_by" text,
	CONSTRAINT "credentials_deployment_id_name_pk" PRIMARY KEY("deployment_id","name")
);
--> statement-breakpoint
CREATE TABLE "deployments" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"place" text NOT NULL,
	"state" text NOT NULL,
	"state_reason" text,
	"state_since" timestamp with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"sealing_kid" text,
	"sealing_wrapped" text,
	"sealing_jwk" json,
	"run_key_issued_at" timestamp with time zone,
	"budgets" json,
	"drain_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "deployments_state" CHECK ("deployments"."state" in ('creating', 'running', 'stopping', 'failed', 'stopped', 'deleted'))
);
--> statement-breakpoint
CREATE TABLE "run_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"deployment_id" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"lineage" text NOT NULL,
	"budgets" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "tool_locks" (
	"deployment_id" text NOT NULL,
	"connector" text NOT NULL,
	"tool" text NOT NULL,
	"hash" text NOT NULL,
	"definition" json NOT NULL,
	"locked_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_locks_deployment_id_connector_tool_pk" PRIMARY KEY("deployment_id","connector","tool")
);
--> statement-breakpoint
CREATE TABLE "versions" (
	"deployment_id" text NOT NULL,
	"version" integer NOT NULL,
	"digest" text NOT NULL,
	"agent" json NOT NULL,
	"commit" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "versions_deployment_id_version_pk" PRIMARY KEY("deployment_id","version")
);
--> statement-breakpoint
CREATE TABLE "memory" (
	"deployment_id" text NOT NULL,
	"path" text NOT NULL,
	"version" integer NOT NULL,
	"size" integer NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memory_deployment_id_path_pk" PRIMARY KEY("deployment_id","path")
);
--> statement-breakpoint
CREATE TABLE "memory_totals" (
	"deployment_id" text PRIMARY KEY NOT NULL,
	"files" integer DEFAULT 0 NOT NULL,
	"bytes" integer DEFAULT 0 NOT NULL,
	"writes" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "memory_versions" (
	"deployment_id" text NOT NULL,
	"version" integer NOT NULL,
	"path" text NOT NULL,
	"content" text,
	"size" integer NOT NULL,
	"sha256" text,
	"actor" text NOT NULL,
	"effect" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memory_versions_deployment_id_version_pk" PRIMARY KEY("deployment_id","version")
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"run_id" text NOT NULL,
	"id" text NOT NULL,
	"approved" boolean NOT NULL,
	"note" text,
	"account_id" text NOT NULL,
	"decided_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "approvals_run_id_id_pk" PRIMARY KEY("run_id","id")
);
--> statement-breakpoint
CREATE TABLE "hosts" (
	"id" text PRIMARY KEY NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "journal" (
	"run_id" text NOT NULL,
	"first_seq" integer NOT NULL,
	"last_seq" integer NOT NULL,
	"entries" text NOT NULL,
	CONSTRAINT "journal_run_id_first_seq_pk" PRIMARY KEY("run_id","first_seq")
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"deployment_id" text NOT NULL,
	"version" integer NOT NULL,
	"lineage" text,
	"status" text NOT NULL,
	"inputs" json NOT NULL,
	"output" json,
	"error_code" text,
	"error_message" text,
	"usage" json,
	"seed" text NOT NULL,
	"prelude" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"completed_at" timestamp with time zone,
	"host_id" text,
	"epoch" integer DEFAULT 1 NOT NULL,
	"attempt" integer DEFAULT 1 NOT NULL,
	"cancel_requested_at" timestamp with time zone,
	"waiting_for" text[],
	"idempotency_key" text,
	"idempotency_body" text
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" text PRIMARY KEY NOT NULL,
	"deployment_id" text NOT NULL,
	"cron" text NOT NULL,
	"timezone" text NOT NULL,
	"inputs" json NOT NULL,
	"missed" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"next_at" timestamp (3) with time zone,
	"lease_until" timestamp with time zone,
	"last_at" timestamp with time zone,
	"last_run_id" text,
	"last_error" json,
	"skipped_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedules_missed" CHECK ("schedules"."missed" in ('skip', 'run_once'))
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"delivery_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"status" integer,
	"latency_ms" integer NOT NULL,
	"error" text,
	"answer" text,
	CONSTRAINT "attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"run_id" text,
	"type" text NOT NULL,
	"body" text NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempts_before" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"lease_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"deployment_id" text NOT NULL,
	"url" text NOT NULL,
	"events" text[],
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" timestamp with time zone,
	"disabled_at" timestamp with time zone,
	"disabled_reason" text,
	"failing_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "guard_oauth" (
	"model" text NOT NULL,
	"id" text NOT NULL,
	"payload" json NOT NULL,
	"grant_id" text,
	"uid" text,
	"consumed_at" timestamp with time zone,
	"successor" text,
	"expires_at" timestamp with time zone,
	CONSTRAINT "guard_oauth_model_id_pk" PRIMARY KEY("model","id")
);
--> statement-breakpoint
CREATE TABLE "guard_sealed_windows" (
	"account_id" text NOT NULL,
	"row" integer NOT NULL,
	"admitted" bigint[] NOT NULL,
	CONSTRAINT "guard_sealed_windows_account_id_row_pk" PRIMARY KEY("account_id","row")
);
--> statement-breakpoint
CREATE TABLE "guard_settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "guard_usage" (
	"month" text NOT NULL,
	"account_id" text NOT NULL,
	"calls" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "guard_usage_month_account_id_pk" PRIMARY KEY("month","account_id")
);
--> statement-breakpoint
CREATE TABLE "guard_windows" (
	"account_id" text PRIMARY KEY NOT NULL,
	"newest" bigint[] NOT NULL,
	"sealed" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_plan_plans_name_fk" FOREIGN KEY ("plan") REFERENCES "public"."plans"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger" ADD CONSTRAINT "ledger_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_keys" ADD CONSTRAINT "run_keys_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tool_locks" ADD CONSTRAINT "tool_locks_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "versions" ADD CONSTRAINT "versions_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "versions" ADD CONSTRAINT "versions_digest_bundles_digest_fk" FOREIGN KEY ("digest") REFERENCES "public"."bundles"("digest") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email" ON "accounts" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "ledger_account" ON "ledger" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "tokens_account" ON "tokens" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "budget_reservations_age" ON "budget_reservations" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_slug" ON "deployments" USING btree ("slug");--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_live_name" ON "deployments" USING btree ("account_id","name") WHERE "deployments"."state" <> 'deleted';--> statement-breakpoint
CREATE INDEX "deployments_account" ON "deployments" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "run_keys_deployment" ON "run_keys" USING btree ("deployment_id");--> statement-breakpoint
CREATE INDEX "memory_versions_path" ON "memory_versions" USING btree ("deployment_id","path","version");--> statement-breakpoint
CREATE INDEX "memory_versions_effect" ON "memory_versions" USING btree ("actor","effect");--> statement-breakpoint
CREATE INDEX "runs_deployment" ON "runs" USING btree ("deployment_id","id");--> statement-breakpoint
CREATE INDEX "runs_live" ON "runs" USING btree ("host_id") WHERE "runs"."status" in ('queued', 'running', 'waiting');--> statement-breakpoint
CREATE UNIQUE INDEX "runs_idempotency" ON "runs" USING btree ("deployment_id",coalesce("lineage", ''),"idempotency_key") WHERE "runs"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX "runs_idempotency_age" ON "runs" USING btree ("created_at") WHERE "runs"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX "schedules_deployment" ON "schedules" USING btree ("deployment_id","id");--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("next_at") WHERE "schedules"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("next_attempt_at") WHERE "deliveries"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_endpoint" ON "deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "endpoints_deployment" ON "endpoints" USING btree ("deployment_id");--> statement-breakpoint
CREATE INDEX "guard_oauth_grant" ON "guard_oauth" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "guard_oauth_uid" ON "guard_oauth" USING btree ("uid");--> statement-breakpoint
CREATE INDEX "guard_oauth_expires" ON "guard_oauth" USING btree ("expires_at");