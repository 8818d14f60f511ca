/**
 * Plugins of `core-plugins` as a platform 6.11.0 lists them, one per line. Columns: type, name, class below
 * `io.cdap.plugin`, field of the configuration, dataset types, properties (`!` required, `~` takes no macro, `:type`
 * where it is not a string).
 */
export const CORE_PLUGINS = `
action FileDelete batch.action.FileDeleteAction config - continueOnError!~:boolean fileRegex path!
action FileMove batch.action.FileMoveAction config - continueOnError!~:boolean destPath! fileRegex sourcePath!
action SSH batch.action.SSHAction config - command! host! outputKey passphrase port:int privateKey! user!
action WindowsShareCopy batch.action.WindowsShareCopy config - bufferSize:int destinationDirectory! netBiosDomainName netBiosHostname! netBiosPassword! netBiosSharename! netBiosUsername! numThreads:int overwrite~:boolean sourceDirectory!
alertpublisher TMS alert.TMSAlertPublisher conf - autoCreateTopic~:boolean maxAlertsPerSecond~:int namespace topic!
batchaggregator Deduplicate batch.aggregator.DedupAggregator dedupConfig - filterOperation numPartitions:int uniqueFields
batchaggregator Distinct batch.aggregator.DistinctAggregator conf - fields numPartitions:int
batchaggregator GroupByAggregate batch.aggregator.GroupByAggregator conf - aggregates! groupByFields! numPartitions:int
batchaggregator RowDenormalizer batch.aggregator.RowDenormalizerAggregator conf - fieldAliases keyField! nameField! numPartitions:int outputFields! valueField!
batchjoiner Joiner batch.joiner.Joiner conf - conditionExpression conditionType distributionEnabled:boolean distributionFactor:int distributionStageName inMemoryInputs inputAliases joinKeys joinNullKeys:boolean numPartitions:int requiredInputs schema selectedFields!
batchsink Cube batch.sink.BatchCubeSink config cube cubeFact.measurements!~ cubeFact.timestamp.field~ cubeFact.timestamp.format~ dataset.cube.aggregations~ dataset.cube.properties~ dataset.cube.resolutions~ name!
batchsink File batch.sink.FileSink config - delimiter fileSystemProperties format! path! referenceName!~ schema suffix writeHeader:boolean
batchsink KVTable batch.sink.KVTableSink kvTableConfig keyvaluetable key.field~ name! value.field~
batchsink SnapshotAvro batch.sink.SnapshotFileBatchAvroSink config partitionedfileset basePath cleanPartitionsOlderThan compressionCodec~ fileProperties name! schema!
batchsink SnapshotParquet batch.sink.SnapshotFileBatchParquetSink config partitionedfileset basePath cleanPartitionsOlderThan compressionCodec~ fileProperties name! schema!
batchsink SnapshotText batch.sink.SnapshotFileBatchTextSink config partitionedfileset basePath cleanPartitionsOlderThan delimiter fileProperties name!
batchsink TPFSAvro batch.sink.TimePartitionedFileSetDatasetAvroSink config timepartitionedfileset basePath cleanPartitionsOlderThan compressionCodec~ filePathFormat name! partitionOffset schema! timeZone
batchsink TPFSOrc batch.sink.TimePartitionedFileSetDataSetORCSink config timepartitionedfileset basePath cleanPartitionsOlderThan compressionChunkSize~:long compressionCodec~ createIndex~:boolean filePathFormat indexStride~:long name! partitionOffset schema! stripeSize~:long timeZone
batchsink TPFSParquet batch.sink.TimePartitionedFileSetDatasetParquetSink config timepartitionedfileset basePath cleanPartitionsOlderThan compressionCodec~ filePathFormat name! partitionOffset schema! timeZone
batchsink Table batch.sink.TableSink tableSinkConfig table name! schema schema.row.field!
batchsource Excel batch.source.ExcelInputReader excelInputreaderConfig - columnList~ columnMapping~ errorDatasetName~ filePath! filePattern! ifErrorRecord!~ memoryTableName~ outputSchema~ referenceName!~ reprocess!~:boolean rowsLimit sheet!~ sheetValue! skipFirstRow!~:boolean tableExpiryPeriod~ terminateIfEmptyRow!~
batchsource FTP batch.source.FTPBatchSource config - fileRegex fileSystemProperties ignoreNonExistingFolders~:boolean path! referenceName!
batchsource File batch.source.FileBatchSource config - copyHeader~:boolean delimiter enableQuotedValues:boolean fileEncoding fileRegex fileSystemProperties filenameOnly:boolean format! ignoreNonExistingFolders:boolean maxSplitSize:long override path! pathField recursive:boolean referenceName!~ sampleSize:long schema skipHeader:boolean
batchsource KVTable batch.source.KVTableSource kvTableConfig keyvaluetable name!
batchsource SnapshotAvro batch.source.SnapshotFileBatchAvroSource config partitionedfileset basePath fileProperties name! schema!
batchsource SnapshotParquet batch.source.SnapshotFileBatchParquetSource config partitionedfileset basePath fileProperties name! schema!
batchsource TPFSAvro batch.source.TimePartitionedFileSetDatasetAvroSource config timepartitionedfileset basePath delay duration! name! schema!~
batchsource TPFSParquet batch.source.TimePartitionedFileSetDatasetParquetSource config timepartitionedfileset basePath delay duration! name! schema!~
batchsource Table batch.source.TableSource tableConfig table name! schema! schema.row.field
batchsource XMLReader batch.source.XMLReaderBatchSource config - actionAfterProcess!~ enableExternalEntities:boolean nodePath! path! pattern referenceName!~ reprocessingRequired!~ supportDTD~:boolean tableExpiryPeriod:int tableName targetFolder temporaryFolder!
connector File batch.connector.FileConnector config fileset
errortransform ErrorCollector error.ErrorCollector config - codeField~ messageField~ stageField~
postaction Email batch.action.EmailAction config - configurableJavaMailProperties host includeWorkflowToken:boolean message! password port:int protocol recipients! runCondition~ sender! subject! username
transform JavaScript transform.JavaScriptTransform config - lookup~ schema~ script!~
transform LogParser transform.LogParserTransform config - inputName!~ logFormat!~
transform Projection transform.ProjectionTransform projectionTransformConfig - convert~ drop~ keep~ rename~
windower Window streaming.Window conf - slideInterval!~:long width!~:long
`;

/** Plugins of `format-delimited`, in the same form. */
export const FORMAT_DELIMITED = `
validatingInputFormat csv format.delimited.input.CSVInputFormatProvider conf - enableMultilineSupport:boolean enableQuotedValues:boolean filenameOnly:boolean pathField schema skipHeader:boolean
validatingInputFormat delimited format.delimited.input.DelimitedInputFormatProvider conf - delimiter enableMultilineSupport:boolean enableQuotedValues:boolean filenameOnly:boolean pathField schema skipHeader:boolean
validatingInputFormat tsv format.delimited.input.TSVInputFormatProvider conf - enableMultilineSupport:boolean enableQuotedValues:boolean filenameOnly:boolean pathField schema skipHeader:boolean
validatingOutputFormat csv format.delimited.output.CSVOutputFormatProvider conf - writeHeader:boolean
validatingOutputFormat delimited format.delimited.output.DelimitedOutputFormatProvider conf - delimiter writeHeader:boolean
validatingOutputFormat tsv format.delimited.output.TSVOutputFormatProvider conf - writeHeader:boolean
`;
