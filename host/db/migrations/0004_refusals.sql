CREATE TABLE "refusals" (
	"deployment_id" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"code" text NOT NULL,
	"count" integer NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"detail" text NOT NULL,
	"paths" json NOT NULL,
	CONSTRAINT "refusals_deployment_id_hour_code_pk" PRIMARY KEY("deployment_id","hour","code")
);
--> statement-breakpoint
CREATE INDEX "refusals_hour" ON "refusals" USING btree ("hour");