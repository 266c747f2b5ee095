export const HOUR = ['--interval', '1h', '--prices', 'raw', '--zone', 'new-york'];
export const RAW = ['--prices', 'raw'];
const D2 = '2025-01-02T14:30';
const D3 = '2025-01-03T14:30';

/** Files as their exporters write them, the flags they need, and the starts and closes they mean. */
export const FILES: readonly (readonly [
  string,
  string,
  readonly string[],
  readonly (readonly [string, number])[],
])[] = [
  [
    'Alpha Vantage, newest first',
    'timestamp,open,high,low,close,volume\n2025-01-03,243,244,241,243.36,9\n2025-01-02,248,249,241,243.85,9\n',
    [],
    [
      [D2, 243.85],
      [D3, 243.36],
    ],
  ],
  [
    'nasdaq.com',
    'Date,Close/Last,Volume,Open,High,Low\n01/03/2025,$243.36,9,$243.36,$244.18,$241.89\n01/02/2025,$243.85,9,$248.93,$249.10,$241.8201\n',
    RAW,
    [
      [D2, 243.85],
      [D3, 243.36],
    ],
  ],
  [
    'Stooq in Polish',
    'Data,Otwarcie,Najwyzszy,Najnizszy,Zamkniecie,Wolumen\n2025-01-02,248.93,249.10,241.82,243.85,55740730\n',
    RAW,
    [[D2, 243.85]],
  ],
  [
    'TradingView, seconds at the open',
    'time,open,high,low,close,Volume\n1735828200,248.93,249.10,241.82,243.85,9\n1735914600,243,244,241,243.36,9\n',
    RAW,
    [
      [D2, 243.85],
      [D3, 243.36],
    ],
  ],
  [
    'Tiingo, midnight UTC',
    'date,close,high,low,open,volume,adjClose,adjHigh,adjLow,adjOpen,adjVolume,divCash,splitFactor\n2025-01-02T00:00:00.000Z,243.85,249,241,248,9,1,1,1,1,1,0.0,1.0\n',
    [],
    [[D2, 243.85]],
  ],
  [
    'klines, milliseconds at midnight UTC',
    'open_time,open,high,low,close,volume\n1735776000000,248,249,241,243.85,9\n',
    [],
    [[D2, 243.85]],
  ],
  [
    'Polygon, nanoseconds at midnight New York',
    'ticker,volume,open,close,high,low,window_start,transactions\nAAPL,9,248,243.85,249,241,1735794000000000000,7\n',
    [],
    [[D2, 243.85]],
  ],
  [
    'midnight of Berlin',
    'date,open,high,low,close,volume\n2025-01-02 00:00:00+01:00,248,249,241,243.85,9\n',
    RAW,
    [[D2, 243.85]],
  ],
  [
    'yfinance in three lines',
    'Price,Close,High,Low,Open,Volume\nTicker,AAPL,AAPL,AAPL,AAPL,AAPL\nDate,,,,,\n2025-01-02,243.85,249,241,248,9\n',
    RAW,
    [[D2, 243.85]],
  ],
  [
    'semicolons, decimal comma, dotted dates, BOM, CRLF',
    '\uFEFFDatum;Eröffnung;Hoch;Tief;Schluss;Volumen\r\n02.01.2025;1.248,93;1.249,10;1.241,82;1.243,85;55.740.730\r\n',
    RAW,
    [[D2, 1243.85]],
  ],
  [
    'months by name, volumes with a suffix',
    '"Date","Price","Open","High","Low","Vol.","Change %"\n"Jan 02, 2025","243.85","248.93","249.10","241.82","55.74M","-2.62%"\n',
    RAW,
    [[D2, 243.85]],
  ],
  [
    'day first by a day above 12',
    'Date,Open,High,Low,Close,Volume\n03/02/2025 09:30,100,101,99,100,9\n13/02/2025 09:30,100,101,99,101,9\n',
    HOUR,
    [
      ['2025-02-03T14:30', 100],
      ['2025-02-13T14:30', 101],
    ],
  ],
  [
    'day first by the flag',
    'Date,Open,High,Low,Close,Volume\n03/02/2025 09:30,100,101,99,100,9\n',
    [...HOUR, '--dates', 'dmy'],
    [['2025-02-03T14:30', 100]],
  ],
  [
    'compact minutes',
    'date,open,high,low,close,volume\n202501020930,100,101,99,100.5,9\n',
    HOUR,
    [[D2, 100.5]],
  ],
  [
    'compact seconds',
    'date,open,high,low,close,volume\n20250102093000,100,101,99,100.5,9\n',
    HOUR,
    [[D2, 100.5]],
  ],
  [
    'zone by its name',
    'date,open,high,low,close,volume,average,barCount\n20250714 09:30:00 US/Eastern,209,210,207,207.89,9,208,2\n',
    ['--interval', '1h', ...RAW],
    [['2025-07-14T13:30', 207.89]],
  ],
  [
    'clock of 12 hours',
    'Date,Time,Open,High,Low,Close,Volume\n01/13/2025,9:30 AM,209,210,207,207.89,9\n01/13/2025,1:30 PM,209,210,207,208,9\n',
    HOUR,
    [
      ['2025-01-13T14:30', 207.89],
      ['2025-01-13T18:30', 208],
    ],
  ],
  [
    'days of a worksheet, by their numbers',
    'Date,Open,High,Low,Close,Volume\n45659,248,249,241,243.85,9\n45660,243,244,241,243.36,9\n',
    RAW,
    [
      [D2, 243.85],
      [D3, 243.36],
    ],
  ],
  [
    'times of a worksheet, by their numbers',
    'Date,Open,High,Low,Close,Volume\n45659.3958333333,100,101,99,100.5,9\n',
    HOUR,
    [[D2, 100.5]],
  ],
  [
    'dates of JavaScript',
    'Date,Open,High,Low,Close,Volume\nThu Jan 02 2025 00:00:00 GMT+0100 (Central European Standard Time),248,249,241,243.85,9\n',
    RAW,
    [[D2, 243.85]],
  ],
  [
    'times of JavaScript',
    'Date,Open,High,Low,Close,Volume\nThu Jan 02 2025 09:30:00 GMT-0500 (Eastern Standard Time),100,101,99,100.5,9\n',
    ['--interval', '1h', ...RAW],
    [[D2, 100.5]],
  ],
  [
    'abbreviation of several places, of which one has a session then',
    'Date,Open,High,Low,Close,Volume\n2025-01-02 08:30:00 CST,100,101,99,100.5,9\n',
    ['--interval', '1h', ...RAW],
    [[D2, 100.5]],
  ],
  [
    'days at midnight of a zone that has several readings',
    'Date,Open,High,Low,Close,Volume\n2025-01-02 00:00:00 IST,248,249,241,243.85,9\n',
    RAW,
    [[D2, 243.85]],
  ],
  [
    'klines without a header',
    '1735828200000,248,249,241,243.85,9,1735831799999,1,2,3,4,0\n',
    ['--interval', '1h'],
    [[D2, 243.85]],
  ],
];
