export type Envelope = Readonly<{
  code: number;
  errMsg: string;
  uuid: string | null;
  t: number | null;
  data: unknown;
}>;
