CREATE TABLE "file_blobs" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"sha256" text,
	"refs" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_chunks" (
	"blob_id" text NOT NULL,
	"n" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "file_chunks_blob_id_n_pk" PRIMARY KEY("blob_id","n")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"deployment_id" text NOT NULL,
	"lineage" text,
	"blob_id" text NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"size" integer NOT NULL,
	"sha256" text NOT NULL,
	"run_id" text,
	"effect" integer,
	"position" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "run_files" (
	"run_id" text NOT NULL,
	"file_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "run_files_run_id_file_id_pk" PRIMARY KEY("run_id","file_id")
);
--> statement-breakpoint
ALTER TABLE "file_chunks" ADD CONSTRAINT "file_chunks_blob_id_file_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."file_blobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_blob_id_file_blobs_id_fk" FOREIGN KEY ("blob_id") REFERENCES "public"."file_blobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "file_blobs_digest" ON "file_blobs" USING btree ("account_id","sha256");--> statement-breakpoint
CREATE INDEX "file_blobs_unused" ON "file_blobs" USING btree ("created_at") WHERE "file_blobs"."refs" = 0;--> statement-breakpoint
CREATE INDEX "files_account" ON "files" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "files_deployment" ON "files" USING btree ("deployment_id");--> statement-breakpoint
CREATE INDEX "files_expiry" ON "files" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "files_made" ON "files" USING btree ("run_id","effect","position") WHERE "files"."run_id" is not null;--> statement-breakpoint
CREATE INDEX "run_files_file" ON "run_files" USING btree ("file_id");